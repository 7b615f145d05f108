#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-3.0-or-later
"""Counterexamples of C and C++ programs, word for word: they are meant to be read, so a change of them should be seen by
a person. The expected text of traces/NAME.c is in traces/NAME.MODEL.txt.

    test_c_traces.py PROGRAM [unittest options]
    test_c_traces.py PROGRAM --promote       rewrites the expected texts
"""

import json
import re
import sys

from program_case import NEVER, ROOT, VIOLATED, ProgramCase, main

FOLDER = ROOT / "tests/project/traces"
# File, model, engine and further options.
CASES = [
    ("handoff.c", "pso", "explicit", []),
    ("handoff.c", "armv8", "sat", []),
    ("handoff.c", "rc11", "sat", []),
    ("ring.cpp", "armv8", "sat", []),
    ("ring.cpp", "pso", "explicit", []),
    ("stack.c", "armv8", "sat", []),
    ("stack.c", "pso", "explicit", []),
    ("mutex.cpp", "tso", "explicit", []),
    ("mutex.cpp", "rc11", "sat", []),
    ("spin.c", "tso", "explicit", []),
    ("spin.c", "armv8", "sat", []),
    ("race.cpp", "rc11", "sat", []),
]


def without_figures(text):
    """How long it took, and how many states an engine has seen, are not what is tested."""
    return re.sub(r" \((\w+): [^)]* s\)", r" (\1)", text, count=1)


def expected_file(name, model):
    return FOLDER / f"{name}.{model}.txt"


class Traces(ProgramCase):
    def output(self, name, model, engine, options):
        (self.folder / name).write_text((FOLDER / name).read_text(encoding="utf-8"), encoding="utf-8")
        result = self.run_it("check", name, "--model", model, "--engine", engine, "--timeout", NEVER, *options, expect=VIOLATED)
        return without_figures(result.stdout)

    def test_texts(self):
        for name, model, engine, options in CASES:
            with self.subTest(name=name, model=model):
                expected = expected_file(name, model).read_text(encoding="utf-8")
                self.assertEqual(self.output(name, model, engine, options), expected)

    # What a reader has not written is not in the text, and is marked in JSON.
    def test_json_has_all_steps(self):
        name = "ring.cpp"
        for model, engine in (("pso", "explicit"), ("armv8", "sat")):
            self.output(name, model, engine, [])
            result = self.run_it("check", name, "--model", model, "--engine", engine, "--json", "-", "--timeout", NEVER,
                                 expect=VIOLATED)
            self.follows_schema(result.stdout)
            found = json.loads(result.stdout)["results"][0]
            steps = found["trace"] or found["execution"]["events"]
            self.assertTrue(any(step.get("internal") for step in steps))
            shown = [step for step in steps if step["thread"] and not step.get("internal") and step["kind"] != "flush"]
            self.assertTrue(any(step["text"].startswith("start produce#1") for step in shown))
            self.assertTrue(any(step.get("order") == "acquire" for step in shown))
            for step in shown:
                for machinery in ("_M_", "_ZN", "vtable", ".argument", ".started"):
                    self.assertNotIn(machinery, step["text"])

    # The promise of --verbose is that nothing is left out.
    def test_verbose_shows_all(self):
        text = self.output("handoff.c", "armv8", "sat", ["--verbose"])
        self.assertIn("consumer#1.argument", text)


if __name__ == "__main__":
    if "--promote" in sys.argv:
        ProgramCase.program = sys.argv[1]
        case = Traces("test_texts")
        case.setUp()
        for one in CASES:
            expected_file(*one[:2]).write_text(case.output(*one), encoding="utf-8")
        case.doCleanups()
    else:
        main(__doc__)
