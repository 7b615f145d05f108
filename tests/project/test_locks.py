#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-3.0-or-later
"""The locks of bench/programs/executions, as they are, on models that have no machine: verified, and with no bound on the
iterations of their loops.

    test_locks.py PROGRAM [--slow] [unittest options]        --slow: those that take long, and only those
"""

import json
import sys

from program_case import NEVER, ROOT, VERIFIED, ProgramCase, main

FOLDER = ROOT / "bench/programs/executions"
MODELS = ["armv8", "power", "riscv", "rc11"]
# By lock: threads, or readers of the last one.
LOCKS = {name: (2, 3) for name in ("mcs", "clh", "ticket", "ttas", "test_and_set", "hemlock", "twa", "rwlock")}
LOCKS["seqlock"] = (1, 2)
SLOW = {("rwlock", 3, "power")}  # 15 s


class Locks(ProgramCase):
    slow = False  # set by the command line

    def test_no_bound(self):
        for name, parameters in LOCKS.items():
            for parameter in parameters:
                models = [model for model in MODELS if ((name, parameter, model) in SLOW) == self.slow]
                if models:
                    with self.subTest(lock=name, parameter=parameter):
                        self.verifies(name, parameter, models)

    def verifies(self, name, parameter, models):
        words = ["-D", f"N={parameter}", "--model", ",".join(models), "--timeout", NEVER, "--quiet", "--json", "-"]
        answer = self.run_it("check", FOLDER / f"{name}.c", *words, expect=VERIFIED)
        results = json.loads(answer.stdout)["results"]
        self.assertEqual(sorted(result["model"] for result in results), sorted(models))
        for result in results:
            self.assertEqual(result["verdict"], "verified", result["model"])
            for field in ("bounded", "vacuous", "not_covered"):
                self.assertIsNone(result[field], result["model"])


if __name__ == "__main__":
    if "--slow" in sys.argv:
        sys.argv.remove("--slow")
        Locks.slow = True
    main(__doc__)
