#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-3.0-or-later
"""The programs of bench/programs/executions: all are in the table and in their README; relaxing an order that is needed is
a violation; and what `fenceline bench executions` does with models, engines and the checkers of others.

    test_executions.py PROGRAM [unittest options]
"""

import os
import re

from program_case import NEVER, ROOT, USAGE, VERIFIED, VIOLATED, ProgramCase, main

FOLDER = ROOT / "bench/programs/executions"
ORDER = re.compile(r"memory_order_(?:acquire|release|acq_rel|seq_cst)")

# Program, N, and which of the orders in its text, counted from 1, is needed: on its own, on rc11 and on armv8.
NEEDED = [
    ("test_and_set", 2, (1, 2)),
    ("ttas", 2, (1, 2)),
    ("ttas_exponential", 2, (1, 2)),
    ("ticket", 2, (1, 2)),
    ("twa", 3, (5, 6)),
    ("mcs", 2, (1, 3, 5, 7)),
    ("clh", 2, (1, 2, 3)),
    ("hemlock", 2, (1, 2, 4, 5)),
    ("rwlock", 2, (1, 3, 4)),
    ("rwlock_bias", 2, (1, 3, 4)),
    ("seqlock", 1, (1, 2, 3, 4)),
    ("mpmc", 1, (2, 3)),
    ("spsc", 3, (2, 3, 4)),
    ("spsc_slots", 2, (2,)),
    ("chase_lev", 1, (2, 7)),
    ("chase_lev", 2, (3,)),
    ("ms_queue", 1, (6, 8)),
    ("treiber", 1, (1,)),
    ("hazard", 2, (2, 5)),
    ("readers", 2, (1, 2)),
]
# These have no orders in their text. Where stores are relaxed they are wrong on TSO too.
SEQUENTIALLY_CONSISTENT = ["lamport", "szymanski"]

GENMC = """#!/bin/sh
echo "$@" >> "$0.words"
echo 'Number of complete executions explored: 1234'
echo 'No errors were detected.'
"""
CBMC = """#!/bin/sh
echo 'VERIFICATION FAILED'
exit 10
"""


def relaxed(text, number):
    order = list(ORDER.finditer(text))[number - 1]
    return text[: order.start()] + "memory_order_relaxed" + text[order.end() :]


class Executions(ProgramCase):
    def bench(self, *words, **more):
        return self.run_it("bench", "executions", *words, **more)

    def test_all_programs_are_in_the_table_and_in_the_readme(self):
        programs = sorted(path.stem for path in FOLDER.glob("*.c"))
        self.assertGreater(len(programs), 20)
        message = self.bench("--only", "nosuch", expect=USAGE).stderr
        rows = set(re.findall(r"\w+(?:/\d+)?", message.splitlines()[0].split("there are ")[1]))
        self.assertEqual(sorted(row for row in rows if "/" not in row), programs)
        for program in programs:
            self.assertEqual(sum(row.startswith(program + "/") for row in rows), 3, program)
        table = (FOLDER / "README.md").read_text(encoding="utf-8")
        self.assertEqual(sorted(re.findall(r"(?m)^\| `(\w+)\.c` \|", table)), programs)

    def test_orders_are_needed(self):
        for program, parameter, numbers in NEEDED:
            text = (FOLDER / f"{program}.c").read_text(encoding="utf-8")
            for number in numbers:
                for model in ("rc11", "armv8"):
                    with self.subTest(program=program, order=number, model=model):
                        path = self.file(f"{program}.c", relaxed(text, number))
                        words = ["--frees"] if program == "hazard" else []
                        self.run_it("check", path, "-D", f"N={parameter}", "--model", model, *words, expect=VIOLATED)

    def test_sequential_consistency_is_needed(self):
        for program in SEQUENTIALLY_CONSISTENT:
            text = (FOLDER / f"{program}.c").read_text(encoding="utf-8")
            stores = re.compile(r"atomic_store\((.*)\);")
            path = self.file(f"{program}.c", stores.sub(r"atomic_store_explicit(\1, memory_order_relaxed);", text))
            for model in ("tso", "armv8", "rc11"):
                with self.subTest(program=program, model=model):
                    self.run_it("check", path, "--model", model, expect=VIOLATED)

    def test_rows_are_selected(self):
        text = self.bench("--only", "ticket/3,writers/4", "--model", "pso", "--timeout", NEVER, expect=VERIFIED).stdout
        self.assertRegex(text, r"(?m)^ticket +3 +pso +verified +\w+ +(-|\d+) +\d")
        self.assertRegex(text, r"(?m)^writers +4 +pso +verified +\w+ +(-|\d+) +\d")
        self.assertIn("2 of 2 were decided", text)

    def test_an_engine_is_selected(self):
        words = ["--only", "readers/4", "--timeout", NEVER]
        self.assertRegex(self.bench("--model", "sc,rc11", "--engine", "sat", *words, expect=VERIFIED).stdout, r"(?m)^readers +4 +rc11 +verified +sat ")
        text = self.bench("--model", "rc11", "--engine", "explicit", *words, expect=VERIFIED).stdout
        self.assertRegex(text, r"(?m)^readers +4 +rc11 +- \(unsupported\) +- +- ")
        self.assertRegex(text, r"(?m)^- readers/4 on rc11: \w")
        self.assertIn("0 of 1 were decided", text)

    def test_bad_words(self):
        self.assertIn("unknown memory model", self.bench("--model", "nosuch", expect=USAGE).stderr)
        self.assertIn("nosuch", self.bench("--engine", "nosuch", expect=USAGE).stderr)
        for words in (["--model", "sc"], ["--engine", "sat"]):
            result = self.run_it("bench", "coherence-verify", *words, expect=USAGE)
            self.assertIn(f"{words[0]}: the models and engines of the table coherence-verify are fixed", result.stderr)

    def test_checkers_of_others(self):
        """Stand-ins for two of them: the words that they get, and what is read from what they print."""
        for name, text in (("genmc", GENMC), ("cbmc", CBMC)):
            os.chmod(self.file(f"bin/{name}", text), 0o755)
        path = f"{self.folder / 'bin'}:{os.environ['PATH']}"
        words = ["--only", "readers/4", "--model", "tso,armv8", "--timeout", NEVER, "--markdown"]
        text = self.bench(*words, expect=VERIFIED, env={**os.environ, "PATH": path}).stdout
        self.assertRegex(text, r"\| +genmc \| genmc executions \| genmc CPU s \| genmc MB \|.* cbmc ")
        self.assertRegex(text, r"\| readers +\| 4 +\| tso +\| verified .*\| +verified \| +1,234 \| .*\| +violated \| +- \|")
        self.assertRegex(text, r"\| readers +\| 4 +\| armv8 +\| verified .*\| - \(no such model\) \| +- \| +- \| +- \|")
        given = (self.folder / "bin/genmc.words").read_text(encoding="utf-8")
        self.assertRegex(given, r"^--tso .*-- -DN=4 \S*/readers\.c\n$")


if __name__ == "__main__":
    main(__doc__)
