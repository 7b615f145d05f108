#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-3.0-or-later
"""The options of the automata engine, what the program says of sets of buffer contents, and its tables.

    automata_options.py PROGRAM [unittest options]
"""

import json
import os
import pathlib
import subprocess
import sys
import tempfile
import unittest

ROOT = pathlib.Path(__file__).resolve().parent.parent.parent
PROGRAM = None  # set from the command line

VERIFIED, VIOLATED, UNKNOWN, USAGE = 0, 1, 2, 64

OPTIONS = ("--search", "--no-acceleration", "--no-library", "--no-sleep-sets", "--widen-above")
# Both threads fill their buffers without end, one of them with any sequence of values.
GROWING = ROOT / "corpus/automata/two_processes.fl"
# One thread does, and every search ends that accelerates its only cycle.
ONE_CYCLE = """\
shared int x = 0;
thread P { while (true) { x = 1; up: skip; x = 0; } }
thread Q { int r; r = x; }
property small: never (Q.r > 1);
property at_once: never (P@up && x == 0);
"""


class AutomataOptions(unittest.TestCase):
    maxDiff = None

    def run_it(self, *words, expect):
        result = subprocess.run(
            [PROGRAM, *map(str, words)], capture_output=True, text=True, timeout=3600, check=False
        )
        self.assertEqual(result.returncode, expect, f"{words}\n{result.stdout}\n{result.stderr}")
        return result

    def check(self, *words, expect):
        return self.run_it("check", "--engine", "automata", *words, expect=expect)

    def test_it_is_among_the_engines(self):
        self.assertRegex(self.run_it("engines", expect=VERIFIED).stdout, r"(?m)^automata +\w")

    def test_help_names_the_options(self):
        text = self.run_it("check", "--help-all", expect=VERIFIED).stdout
        for option in OPTIONS:
            self.assertIn(option, text)

    def test_bad_words(self):
        for words, complaint in [
            (["--search", "best"], "'best' is neither bfs nor dfs"),
            (["--search", "BFS"], "'BFS' is neither bfs nor dfs"),
            (["--search", ""], "empty"),
            (["--search"], "--search"),
            (["--widen-above", "many"], "many"),
            (["--widen-above", "-1"], "-1"),
            (["--widen-above", "1.5"], "whole number"),
            (["--widen-above", "2000000"], "1000000"),
            (["--no-acceleration", "--acceleration"], "--acceleration"),
        ]:
            with self.subTest(words=words):
                result = self.run_it("check", GROWING, *words, expect=USAGE)
                self.assertIn(complaint, result.stderr)
                self.assertEqual(result.stdout, "")

    def test_a_bad_word_does_not_pass_because_another_engine_answers(self):
        self.run_it("check", "--engine", "explicit", "--search", "best", GROWING, expect=USAGE)

    def test_other_commands_do_not_take_them(self):
        for option in ("--no-acceleration", "--no-library", "--no-sleep-sets"):
            self.assertIn(option, self.run_it("infer", GROWING, option, expect=USAGE).stderr)

    def test_variants_agree(self):
        folder = tempfile.TemporaryDirectory(prefix="fenceline cli ")
        self.addCleanup(folder.cleanup)
        path = pathlib.Path(folder.name) / "one cycle.fl"
        path.write_text(ONE_CYCLE, encoding="utf-8")
        for words in (
            [],
            ["--search", "bfs"],
            ["--search", "dfs"],
            ["--search", "dfs", "--no-sleep-sets"],
            ["--no-library"],
            ["--widen-above", "0"],
            ["--widen-above", "2"],
            ["--no-reduction", "--no-fusing", "--no-liveness"],
        ):
            with self.subTest(words=words):
                result = self.check("--quiet", *words, "--timeout", "3000", path, expect=VIOLATED)
                self.assertEqual(
                    [line.rsplit(": ", 2)[1:] for line in result.stdout.splitlines()],
                    [["small", "verified"], ["at_once", "violated"]],
                )

    def test_without_acceleration_there_is_no_end(self):
        words = ["--no-acceleration", "--widen-above", "0", "--timeout", "5", "--property", "own", GROWING]
        result = self.check(*words, expect=UNKNOWN)
        self.assertIn("time limit of 5 s", result.stdout)
        self.assertIn("store buffer contents that kept growing:", result.stdout)
        self.assertRegex(result.stdout, r"(?m)^    P[01] at line \d+:")

    def test_unbounded_buffers_are_shown_with_verbose(self):
        words = ["--property", "own", GROWING]
        self.assertNotIn("without end", self.check(*words, expect=VERIFIED).stdout)
        text = self.check("--verbose", *words, expect=VERIFIED).stdout
        self.assertIn("store buffers that grow without bound:", text)
        self.assertRegex(text, r"(?m)^    P0 at line \d+: .*\(x,1\).*\*")

    def test_buffers_in_json(self):
        out = self.check("--json", "-", "--property", "own", GROWING, expect=VERIFIED).stdout
        buffers = json.loads(out)["results"][0]["buffers"]
        self.assertTrue(buffers)
        for buffer in buffers:
            self.assertEqual(list(buffer), ["thread", "line", "language"])
            self.assertIn(buffer["thread"], ("P0", "P1"))
            self.assertGreater(buffer["line"], 0)
            self.assertIn("*", buffer["language"])
        out = self.run_it("check", "--json", "-", "--model", "sc", GROWING, expect=VERIFIED).stdout
        self.assertEqual([result["buffers"] for result in json.loads(out)["results"]], [[], []])

    def test_proofs_are_checked(self):
        out = self.check("--json", "-", "--property", "own", "--model", "tso,pso", GROWING, expect=VERIFIED).stdout
        for result in json.loads(out)["results"]:
            self.assertTrue(result["certificate"]["checked"])

    def test_bench_lists_its_tables(self):
        text = self.run_it("bench", expect=VERIFIED).stdout
        for table in ("automata-peterson", "automata-searches"):
            self.assertRegex(text, rf"(?m)^{table} +\w")

    def test_bench_makes_tables(self):
        words = ["bench", "automata", "--only", "pet2", "--timeout", "3000"]  # the tables of the engine
        text = self.run_it(*words, expect=VERIFIED).stdout
        self.assertRegex(text, r"(?m)^pet2 +two fences +verified +a proof, its certificate checked ")
        self.assertRegex(text, r"(?m)^pet2 +bfs +[0-9]")
        self.assertNotIn("contradict", text)

    def test_bench_says_what_has_no_end(self):
        words = ["bench", "automata-searches", "--only", "unlocking", "--timeout", "0.5", "--markdown"]
        text = self.run_it(*words, expect=VERIFIED).stdout
        self.assertRegex(text, r"(?m)^\| unlocking +\| bfs, no acceleration +\| +>.* no end ")
        self.assertNotIn("contradict", text)


if __name__ == "__main__":
    PROGRAM = os.path.abspath(sys.argv.pop(1))
    unittest.main()
