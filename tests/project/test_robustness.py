#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-3.0-or-later
"""Programs of bench/programs/executions whose loops have no bound, by the robustness engine alone: verified, with nothing
left out. On machines only where the analysis shows that loads are not buffered.

    test_robustness.py PROGRAM [unittest options]
"""

import json

from program_case import NEVER, ROOT, VERIFIED, ProgramCase, main

FOLDER = ROOT / "bench/programs/executions"
RC11_AND_ARM = ("rc11", "armv8")
PROGRAMS = {
    "rwlock": RC11_AND_ARM,
    "rwlock_bias": RC11_AND_ARM,
    "mcs": RC11_AND_ARM,
    "ticket": RC11_AND_ARM,
    "ttas": RC11_AND_ARM,
    "lamport": RC11_AND_ARM,
    "szymanski": RC11_AND_ARM,
    "spsc": RC11_AND_ARM,
    "treiber": RC11_AND_ARM,
}


class Robustness(ProgramCase):
    def test_no_bound(self):
        for name, models in PROGRAMS.items():
            with self.subTest(program=name):
                self.verifies(name, models)

    def verifies(self, name, models):
        words = ["-D", "N=2", "--model", ",".join(models), "--engine", "robustness", "--timeout", NEVER]
        answer = self.run_it("check", FOLDER / f"{name}.c", *words, "--quiet", "--json", "-", expect=VERIFIED)
        results = json.loads(answer.stdout)["results"]
        self.assertEqual(sorted(result["model"] for result in results), sorted(models))
        for result in results:
            self.assertEqual(result["verdict"], "verified", result["model"])
            for field in ("bounded", "vacuous", "not_covered"):
                self.assertIsNone(result[field], result["model"])


if __name__ == "__main__":
    main(__doc__)
