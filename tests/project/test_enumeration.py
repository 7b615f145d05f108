#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-3.0-or-later
"""The enumeration engine as its users meet it: what it says about the litmus tests of the corpus, and who may use it.

    test_enumeration.py PROGRAM [unittest options]
"""

import json
import pathlib
import re
import subprocess
import sys
import tempfile
import unittest

ROOT = pathlib.Path(__file__).resolve().parent.parent.parent
LITMUS = ROOT / "corpus/litmus"
PROGRAM = None  # set from the command line

VERIFIED, VIOLATED, UNKNOWN, USAGE = 0, 1, 2, 64


class Enumeration(unittest.TestCase):
    def run_it(self, *words, expect):
        result = subprocess.run([PROGRAM, *map(str, words)], capture_output=True, text=True, timeout=3600)
        self.assertIn(result.returncode, expect, f"{words}\n{result.stdout}\n{result.stderr}")
        return result

    def results(self, *words):
        with tempfile.TemporaryDirectory(prefix="fenceline enumeration ") as folder:
            output = pathlib.Path(folder) / "result.json"
            words = ["check", "--engine", "enumeration", *words, "--quiet", "--json", output]
            self.run_it(*words, expect=(VERIFIED, VIOLATED, UNKNOWN))
            return json.loads(output.read_text(encoding="utf-8"))["results"]

    def test_litmus_tests_of_the_corpus(self):
        """It decides nearly all, as their headers say. (Some have properties of intermediate states, or loops.)"""
        expected = {}
        for path in LITMUS.glob("*.fl"):
            for name, verdicts in re.findall(r"(?m)^// expect (\w+): (.*)$", path.read_text(encoding="utf-8")):
                for model, verdict in re.findall(r"(\w+)=(\w+)", verdicts):
                    expected[path.name, name, model] = verdict
        decided = 0
        for result in self.results("--model", "sc,tso,pso", *sorted(LITMUS.glob("*.fl"))):
            wanted = expected.get((pathlib.Path(result["file"]).name, result["property"], result["model"]))
            if wanted is None or result["verdict"] == "unknown":
                continue
            decided += 1
            self.assertEqual(result["verdict"], wanted, result)
        self.assertGreater(decided, 0.9 * len(expected))

    def test_a_counterexample_is_an_execution(self):
        (result,) = self.results("--model", "pso", LITMUS / "mp.fl")
        self.assertEqual((result["verdict"], result["engine"]), ("violated", "enumeration"))
        self.assertIsNotNone(result["execution"])
        self.assertEqual(result["trace"], [])
        text = self.run_it("check", "--engine", "enumeration", "--model", "pso", LITMUS / "mp.fl", expect=[VIOLATED])
        self.assertIn("an execution that violates it", text.stdout)

    def test_only_check_uses_it_and_only_if_asked(self):
        self.assertRegex(self.run_it("engines", expect=[VERIFIED]).stdout, r"(?m)^enumeration +\w")
        words = ["--engine", "enumeration", LITMUS / "mp.fl"]
        self.assertIn("`infer` needs another one", self.run_it("infer", *words, expect=[USAGE]).stderr)
        text = self.run_it("check", "--model", "rc11", "--verbose", LITMUS / "mp.fl", expect=(VERIFIED, VIOLATED, UNKNOWN))
        self.assertNotIn("enumeration", text.stdout + text.stderr)


if __name__ == "__main__":
    if len(sys.argv) < 2:
        sys.exit(__doc__)
    PROGRAM = str(pathlib.Path(sys.argv.pop(1)).resolve())
    unittest.main()
