#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-3.0-or-later
"""The SAT engine and models from files as their users meet them: bounds, executions, proofs, mistakes in models.

    test_sat.py PROGRAM [unittest options]
"""

import json
import pathlib

from program_case import INPUT, NO_FILE, ROOT, UNKNOWN, USAGE, VERIFIED, VIOLATED, ProgramCase, main

CORPUS = ROOT / "corpus"

CAUSED = """shared int x = 0, y = 0;
thread P { int r, n; r = x; while (n < r) n = n + 1; y = 1; }
thread Q { int s; s = y; if (s == 1) x = 5; }
property p: finally (P.r != 5);
"""
COUNTS = "shared int x; thread P[i in 0..1] { int n = 0; while (n < 3) { fetch_add(x, 1); n = n + 1; } } property p: finally (x == 6);"
ENDLESS = "shared int x; thread P { while (true) { x = x + 1; } } property p: never (x == 1000);"
TSO = '"mine"\ninclude "part.cat"\nlet order = kept | rfe | co | fr\nacyclic order as mine\n'
RACE = """C race
{}
P0(int* x) { *x = 1; }
P1(int* x) { int r0 = *x; }
exists (1:r0=2)
"""
PART = "acyclic po-loc | rf | co | fr as coherence\nlet kept = po \\ (W * R) | [W]; po; [SL]; po; [R]\n"


class Sat(ProgramCase):
    def file(self, name, text):
        return pathlib.Path(super().file(name, text))

    def check(self, *words, expect):
        return self.run_it("check", "--engine", "sat", *words, expect=expect)

    def test_iterations_that_a_later_store_causes(self):
        program = self.file("caused.fl", CAUSED)
        for model in ("sc", "tso", "pso", "x86tso", "rmo", "armv8", "power", "riscv", "rc11", "serial"):
            self.check("--model", model, program, expect=VERIFIED)
        text = self.check("--model", "relaxed", program, expect=UNKNOWN).stdout
        self.assertIn("caused.fl:2:", text)
        # A model of the user that keeps nothing but what one location needs, and one that keeps dependencies.
        coherence = "acyclic po-loc | rf | co | fr as coherence\n"
        self.check("--model", self.file("weak.cat", coherence + "acyclic rfe | co as order\n"), program, expect=UNKNOWN)
        kept = self.file("kept.cat", coherence + "acyclic (ctrl; [W]) | rfe | co as order\n")
        self.check("--model", kept, program, expect=VERIFIED)
        # Fences in all threads.
        fenced = CAUSED.replace("r = x;", "r = x; fence(load-store);").replace("s = y;", "s = y; fence(load-store);")
        self.check("--model", "relaxed", self.file("fenced.fl", fenced), expect=VERIFIED)
        # Without the loop the circle is found.
        straight = CAUSED.replace("while (n < r) n = n + 1; ", "")
        self.check("--model", "relaxed", self.file("straight.fl", straight), expect=VIOLATED)

    def test_what_a_proof_of_a_test_does_not_cover(self):
        """Tests of data types are verified although later stores may cause iterations; the verdict names it."""
        output = self.folder / "result.json"
        words = [CORPUS / "c/msn.tests", "--test", "T0", "--model", "pso,relaxed", "--json", output]
        text = self.check(*words, expect=VERIFIED).stdout
        self.assertEqual(text.count("not covered: executions in which a later store causes more iterations"), 1)
        on_pso, on_relaxed = json.loads(output.read_text(encoding="utf-8"))["results"]
        self.assertNotIn("later store", on_pso["not_covered"])  # but that free() has no effect
        self.assertIn("msn.c:51:", on_relaxed["not_covered"])

    def test_a_proof_says_that_free_has_no_effect(self):
        """Without --frees, use of freed memory is not looked for: no proof may be silent about that."""
        text = """#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>
int *_Atomic shared;
void *reader(void *unused) {
  int *seen = shared;
  return seen && *seen ? seen : 0;
}
int main(void) {
  pthread_t thread;
  int *fresh = malloc(sizeof *fresh);
  *fresh = 1;
  shared = fresh;
  pthread_create(&thread, 0, reader, 0);
  free(fresh);
  pthread_join(thread, 0);
  return 0;
}
"""
        freed = self.file("freed.c", text).name
        kept = self.file("kept.c", text.replace("  free(fresh);\n", "")).name
        output = self.folder / "result.json"
        for model in ("sc", "rc11"):
            words = ["--model", model, "--json", output]
            printed = self.check(*words, freed, kept, expect=VERIFIED).stdout
            note = "use of freed memory: free() in line 15 has no effect without --frees"
            self.assertEqual(" ".join(printed.split()).count("not covered: " + note), 1)
            of_freed, of_kept = json.loads(output.read_text(encoding="utf-8"))["results"]
            self.assertEqual(of_freed["not_covered"], note)
            self.assertIsNone(of_kept["not_covered"])
            printed = self.check(*words, "--frees", freed, expect=VIOLATED).stdout
            self.assertNotIn("not covered", printed)
            self.check(*words, "--frees", kept, expect=VERIFIED)

    def test_loops_that_end_are_decided(self):
        text = self.check("--verbose", self.file("counts.fl", COUNTS), expect=VERIFIED).stdout
        self.assertIn("deepest_loop: 4", text)  # three rounds, and the head once more
        self.assertIn("certificate: RUP proof", text)

    def test_a_bound_is_no_proof(self):
        for bound in ("1", "2"):
            result = self.check("--bound", bound, "--json", "-", self.file("counts.fl", COUNTS), expect=UNKNOWN)
            (answer,) = json.loads(result.stdout)["results"]
            self.assertEqual(answer["verdict"], "unknown")
            self.assertEqual(answer["bounded"], {"what": "rounds of a loop", "limit": int(bound)})
            self.assertIn(f"no violation within bound {bound}: the loop at ", answer["reason"])
            self.assertIn("counts.fl:1 can iterate more often", answer["reason"])

    def test_loops_without_end_are_unknown(self):
        text = self.check("--bound", "4", self.file("endless.fl", ENDLESS), expect=UNKNOWN).stdout
        self.assertIn("no violation within bound 4", text)

    def test_an_execution_instead_of_a_trace(self):
        result = self.check("--model", "relaxed", "--json", "-", CORPUS / "litmus/mp.fl", expect=VIOLATED)
        (answer,) = json.loads(result.stdout)["results"]
        reads = [event for event in answer["execution"]["events"] if event["kind"] == "read"]
        self.assertEqual([read["value"] for read in reads], [1, 0])
        self.assertEqual(answer["trace"], [])
        self.follows_schema(result.stdout)
        text = self.check("--model", "relaxed", CORPUS / "litmus/mp.fl", expect=VIOLATED).stdout
        self.assertIn("an execution that violates it", text)

    def test_a_model_of_ones_own(self):
        self.file("models/part.cat", PART)
        mine = self.file("models/my own.cat", TSO)
        self.check("--model", mine, CORPUS / "litmus/sb.fl", expect=VIOLATED)
        self.check("--model", mine, CORPUS / "litmus/sb+fences.fl", CORPUS / "litmus/mp.fl", expect=VERIFIED)
        elsewhere = self.file("elsewhere.cat", TSO)
        self.check("--model", elsewhere, CORPUS / "litmus/mp.fl", expect=INPUT)
        self.check("--model", elsewhere, "-I", "models", CORPUS / "litmus/mp.fl", expect=VERIFIED)

    def test_mistakes_in_models(self):
        for text, place, word in (
            ("acyclic po |\n", "bad.cat:2:1", "an expression is missing"),
            ("acyclic pp-loc as x\n", "bad.cat:1:9", "pp-loc"),
            ("let a = R ; po\nacyclic a\n", "bad.cat:1", "set"),
            ('include "nowhere.cat"\n', "bad.cat:1", "nowhere.cat"),
        ):
            with self.subTest(text=text):
                errors = self.check("--model", self.file("bad.cat", text), CORPUS / "litmus/sb.fl", expect=INPUT).stderr
                self.assertIn(place, errors)
                self.assertIn(word, errors)
        self.check("--model", "nothing.cat", CORPUS / "litmus/sb.fl", expect=NO_FILE)
        self.check("--model", "nothing", CORPUS / "litmus/sb.fl", expect=USAGE)

    def test_what_is_unsupported_on_a_model_without_a_machine(self):
        text = self.check("--model", "rmo", CORPUS / "mutex/peterson.fl", expect=UNKNOWN).stdout
        self.assertIn("no intermediate states", text)

    def unknown(self, *words):
        result = self.check("--json", "-", *words, expect=UNKNOWN)
        answers = json.loads(result.stdout)["results"]
        self.assertEqual({answer["verdict"] for answer in answers}, {"unknown"})
        return answers[0]["reason"]

    def test_a_model_that_allows_nothing_proves_nothing(self):
        nothing = self.file("nothing.cat", '"nothing"\nempty id\n')
        self.assertIn("allows no execution", self.unknown("--model", nothing, CORPUS / "litmus/sb.fl"))
        # A thread that waits for ever has executions all the same.
        waits = "shared int x; thread P { assume (x == 1); x = 2; } property p: finally (x == 2);"
        self.check("--model", "rmo", self.file("waits.fl", waits), expect=VERIFIED)

    def test_a_flag_is_no_proof(self):
        race = self.file("race.litmus", RACE)
        self.assertIn("'race'", self.unknown("--model", "rc11", race))
        self.check("--model", "sc", race, expect=VERIFIED)
        ordered = self.file("ordered.litmus", RACE.replace("int r0 = *x;", "").replace("1:r0=2", "x=2"))
        self.check("--model", "rc11", ordered, expect=VERIFIED)

    def test_memory_is_limited(self):
        program = "shared int x[64]; " + "".join(
            f"thread P{i} {{ int r, n; while (n < 16) {{ r = x[n]; x[(r + n + {i}) % 64] = r + n; n = n + 1; }} }} "
            for i in range(3)
        ) + "property p: finally (x[0] < 100000);"
        path = self.file("large.fl", program)
        self.assertIn("the memory limit of 8 MB", self.unknown("--memory", "8", path))
        self.check("--memory", "8", CORPUS / "litmus/sb+fences.fl", expect=VERIFIED)

    def test_a_proof_for_others(self):
        self.check("--proof", "out.drat", "--model", "tso", CORPUS / "litmus/mp.fl", expect=VERIFIED)
        cnf = (self.folder / "out.drat.cnf").read_text(encoding="utf-8").splitlines()
        kind, form, variables, clauses = cnf[0].split()
        self.assertEqual((kind, form, int(clauses)), ("p", "cnf", len(cnf) - 1))
        self.assertTrue(all(abs(int(word)) <= int(variables) for line in cnf[1:] for word in line.split()))
        self.assertEqual((self.folder / "out.drat").read_text(encoding="utf-8").splitlines()[-1], "0")


if __name__ == "__main__":
    main(__doc__)
