#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-3.0-or-later
"""`fenceline litmus` as its users meet it: folders, bad files among good ones, exit statuses, result blocks.

    test_litmus.py PROGRAM [unittest options]
"""

import json
import re
import subprocess

from program_case import INPUT, NO_FILE, ROOT, UNKNOWN, USAGE, ProgramCase, main

CORPUS = ROOT / "corpus/litmus-tests"

RAN = 0

SB = r"""X86 SB
{ x=0; y=0; }
 P0          | P1          ;
 MOV [x],$1  | MOV [y],$1  ;
 MOV EAX,[y] | MOV EAX,[x] ;
exists (0:EAX=0 /\ 1:EAX=0)
"""
SB_BLOCK = r"""Test SB Allowed
States 4
0:EAX=0; 1:EAX=0;
0:EAX=0; 1:EAX=1;
0:EAX=1; 1:EAX=0;
0:EAX=1; 1:EAX=1;
Ok
Witnesses
Positive: 1 Negative: 3
Condition exists (0:EAX=0 /\ 1:EAX=0)
Observation SB Sometimes 1 3
Time SB T

"""
WRONG = SB.replace("MOV [x],$1", "FROB      ")


class Litmus(ProgramCase):

    def file(self, name, text=SB):
        return super().file(name, text)

    def run_litmus(self, *words):
        return self.run_program("litmus", *words)

    def needs_an_engine(self):
        if "no engine" in self.run_litmus("--model", "tso", self.file("probe.litmus")).stderr:
            self.skipTest("this version has no engine that lists all outcomes")

    def test_the_block(self):
        self.needs_an_engine()
        result = self.run_litmus("--model", "tso", self.file("sb.litmus"))
        self.assertEqual(result.returncode, RAN, result.stderr)
        self.assertEqual(re.sub(r"(?m)^(Time SB) [\d.]+$", r"\1 T", result.stdout), SB_BLOCK)
        self.assertEqual(result.stderr, "")

    def test_sequential_consistency(self):
        self.needs_an_engine()
        result = self.run_litmus("--model", "sc", self.file("sb.litmus"))
        self.assertEqual(result.returncode, RAN, result.stderr)
        self.assertIn("\nNo\nWitnesses\nPositive: 0 Negative: 3\n", result.stdout)
        self.assertIn("Observation SB Never 0 3\n", result.stdout)

    def test_a_bad_file_does_not_stop_the_others(self):
        wrong = self.file("a.litmus", WRONG)
        result = self.run_litmus("--model", "tso", wrong, self.file("b.litmus"))
        self.assertEqual(result.returncode, INPUT)
        self.assertIn(f"{wrong}:4:2: error: 'FROB' is not supported", result.stderr)
        self.assertRegex(result.stderr, r"(?m)^2 tests: \d Ok, 0 No, \d not complete, 1 bad; [\d.]+ s$")

    def test_a_missing_file(self):
        result = self.run_litmus("--model", "tso", "gone.litmus", self.file("a.litmus"))
        self.assertEqual(result.returncode, NO_FILE)
        self.assertIn("gone.litmus", result.stderr)
        self.assertRegex(result.stderr, r"(?m)^2 tests: .* 1 bad")

    def test_folders_are_walked_in_order(self):
        for name in ("b/two.litmus", "a/one.litmus", "c.litmus"):
            self.file(name, WRONG)
        self.file("a/readme.txt", "no test")
        result = self.run_litmus("--model", "tso", "--jobs", "3", ".")
        self.assertEqual(result.returncode, INPUT)
        self.assertEqual(
            re.findall(r"(?m)^(\S+):4:2: error", result.stderr), ["./a/one.litmus", "./b/two.litmus", "./c.litmus"]
        )
        self.assertIn("3 tests: 0 Ok, 0 No, 0 not complete, 3 bad", result.stderr)

    def test_an_empty_folder(self):
        (self.folder / "empty").mkdir()
        result = self.run_litmus("empty")
        self.assertEqual(result.returncode, NO_FILE)
        self.assertIn("no .litmus files", result.stderr)

    def test_usage(self):
        good = self.file("a.litmus")
        for words, complaint in [
            ([], "FILE"),
            ([good, "--model", "alpha"], "alpha"),
            ([good, "--jobs", "many"], "many"),
            ([good, "--engine", "explicit"], "--engine"),
        ]:
            with self.subTest(words=words):
                result = self.run_litmus(*words)
                self.assertEqual(result.returncode, USAGE, result.stderr)
                self.assertIn(complaint, result.stderr)
                self.assertEqual(result.stdout, "")

    def test_json(self):
        result = self.run_litmus("--model", "tso", "--json", "-", self.file("sb.litmus"))
        self.assertIn(result.returncode, (RAN, UNKNOWN))
        document = json.loads(result.stdout)
        self.assertEqual(document["results"], [])
        self.follows_schema(result.stdout)
        self.needs_an_engine()
        (test,) = document["litmus"]
        self.assertEqual((test["test"], test["observation"], test["positive"]), ("SB", "Sometimes", 1))

    def test_engines_print_the_same(self):
        def blocks(*words):
            result = self.run_litmus(*words, CORPUS)
            self.assertEqual(result.returncode, RAN, result.stderr)
            return re.sub(r"(?m)^(Time \S+) [\d.]+$", r"\1 T", result.stdout)

        expected = blocks()
        for engine in ("executions", "sat", "enumeration"):
            with self.subTest(engine=engine):
                self.assertEqual(blocks("--engine", engine), expected)
        words = ["--json", "-", self.file("sb.litmus")]
        for engine, found in [("auto", "executions"), ("sat", "sat"), ("enumeration", "enumeration")]:
            (test,) = json.loads(self.run_litmus("--engine", engine, *words).stdout)["litmus"]
            self.assertEqual(test["engine"], found)

    def test_check_shows_how_it_comes_about(self):
        result = subprocess.run(
            [self.program, "check", "--model", "sc,tso", "--quiet", self.file("sb.litmus")],
            stdout=subprocess.PIPE,
            text=True,
            check=False,
        )
        self.assertEqual(result.returncode, 1)
        self.assertIn("sc: finally: verified", result.stdout)
        self.assertIn("tso: finally: violated", result.stdout)

    # --- sizes, tests without an end, models of one's own ---------------------------------------------------------

    def test_mixed_sizes_are_rejected_and_the_others_go_on(self):
        mixed = self.file(
            "a.litmus",
            "AArch64 A\n{ 0:X1=x; 1:X1=x; }\n P0          | P1          ;\n STR X0,[X1] | LDR W0,[X1] ;\nexists (1:X0=1)\n",
        )
        result = self.run_litmus(mixed, self.file("b.litmus"), "--json", self.folder / "out.json")
        self.assertEqual(result.returncode, INPUT)
        self.assertIn(f"{mixed}:4:16: error: location x has 8 bytes, and here 4", result.stderr)
        self.assertRegex(result.stderr, r"(?m)^2 tests: 1 Ok, 0 No, 0 not complete, 1 bad; [\d.]+ s$")
        document = json.loads((self.folder / "out.json").read_text())
        self.assertEqual([test["test"] for test in document["litmus"]], ["SB"])
        self.assertEqual([(one["file"], one["status"]) for one in document["failures"]], [(mixed, INPUT)])

    def test_without_a_final_state_there_is_no_result(self):
        for text, why in [
            ("X86 T\n{}\n P0 ;\n L0: ;\n MOV [x],$1 ;\n JMP L0 ;\n~exists (x=2)\n", "loop"),
            ("AArch64 T\n{ 0:X1=x; 0:X2=4; }\n P0 ;\n LDR W0,[X1,W2,SXTW] ;\n~exists (0:X0=1)\n", "an execution fails"),
        ]:
            with self.subTest(why=why):
                result = self.run_litmus(self.file("t.litmus", text), "--json", self.folder / "out.json")
                self.assertEqual(result.returncode, UNKNOWN, result.stderr)
                self.assertIn(why, result.stderr)
                self.assertNotIn("States", result.stdout)
                self.assertIn("\nUnknown\n", result.stdout)
                (test,) = json.loads((self.folder / "out.json").read_text())["litmus"]
                self.assertEqual((test["result"], test["complete"]), ("Unknown", False))

    def test_an_execution_that_fails_is_reported(self):
        # X0 is 0 or 4, and x has no byte 4.
        text = (
            "AArch64 T\n{ 0:X1=x; 0:X3=y; 1:X3=y; }\n P0                  | P1          ;\n"
            " LDR W0,[X3]         | MOV W0,#4   ;\n LDR W2,[X1,W0,SXTW] | STR W0,[X3] ;\n~exists (0:X0=4)\n"
        )
        result = self.run_litmus(self.file("t.litmus", text))
        self.assertEqual(result.returncode, UNKNOWN)
        self.assertIn("an execution fails: index 4 is outside x", result.stderr)

    def test_coherence_without_rmw(self):
        # A read-modify-write does not read what it writes itself, also where no condition requires it.
        model = self.file("own.cat", '"own"\nacyclic po-loc | rf | co | fr as coherence\n')
        test = "X86 T\n{}\n P0 | P1 ;\n MOV EAX,$1 | MOV EAX,$2 ;\n XCHG [x],EAX | XCHG [x],EAX ;\nforall (true)\n"
        result = self.run_litmus("--model", model, self.file("t.litmus", test.replace("(true)", "(~0:EAX=1 /\\ ~1:EAX=2)")))
        self.assertEqual(result.returncode, RAN, result.stderr)
        self.assertIn("\nOk\n", result.stdout)

    def test_a_compare_and_exchange_is_no_branch_and_its_result_may_be_one(self):
        # With two orders it is a choice of two alternatives, which the test does not observe.
        model = self.file(
            "own.cat",
            '"own"\nacyclic po-loc | rmw | rf | co | fr\nempty rmw & (fre; coe)\n'
            "acyclic (ctrl; [W]) | (po; [F]; po) | rfe | fre | coe\n",
        )
        test = """C T
{ }
P0(atomic_int* x, atomic_int* y) {
  int r0 = atomic_load_explicit(x, memory_order_relaxed);
  atomic_thread_fence(memory_order_seq_cst);
  atomic_store_explicit(y, 1, memory_order_relaxed);
}
P1(atomic_int* x, atomic_int* y) {
  int e = EXPECTED;
  int r1 = atomic_compare_exchange_strong_explicit(y, &e, 2, memory_order_acquire, memory_order_relaxed);
  BRANCH
  atomic_store_explicit(x, 1, memory_order_relaxed);
}
QUANTIFIER (0:r0=1 /\\ 1:e=1)
"""
        for expected in ("1", "5"):  # it succeeds, it fails
            for branch, quantifier in [("", "exists"), ("if (r1) { }", "~exists"), ("if (e == 1) { }", "~exists")]:
                with self.subTest(expected=expected, branch=branch):
                    text = test.replace("EXPECTED", expected).replace("BRANCH", branch).replace("QUANTIFIER", quantifier)
                    result = self.run_litmus("--model", model, self.file("t.litmus", text))
                    self.assertEqual(result.returncode, RAN, result.stderr)
                    self.assertIn("\nOk\n", result.stdout)

    def test_parts_of_one_access(self):
        # The read and the write of one instruction are two accesses.
        model = self.file("own.cat", '"own"\nacyclic po-loc | rmw | rf | co | fr\nempty si & rmw\nempty [M] \\ si\n')
        result = self.run_litmus("--model", model, CORPUS / "x86/lock-inc+lock-inc.litmus")
        self.assertEqual(result.returncode, RAN, result.stderr)
        self.assertNotIn("Unknown", result.stdout)

    def test_check_uses_the_model_of_the_architecture(self):
        for folder, name, model in [("aarch64", "MP", "armv8"), ("riscv", "MP", "riscv"), ("x86", "SB", "x86tso"),
                                    ("ppc", "MP", "power"), ("c", "MP+rlx", "rc11")]:
            with self.subTest(model=model):
                path = str(CORPUS / folder / f"{name}.litmus")
                result = subprocess.run(
                    [self.program, "check", "--quiet", "--property", "finally", path], stdout=subprocess.PIPE, text=True, check=False
                )
                self.assertIn(f" {model}: finally: violated", result.stdout)
                self.assertEqual(result.returncode, 1)

    # --- the corpus: every test is Ok, under the model of its architecture --------------------------------------

    def test_every_test_of_the_corpus_can_be_read(self):
        result = self.run_litmus("--model", "sc", "--timeout", "3000", CORPUS)
        self.assertIn(result.returncode, (RAN, UNKNOWN))
        self.assertIn(", 0 bad;", result.stderr)

    def expect_all_ok(self, result):
        self.assertEqual(result.returncode, RAN, result.stderr)
        blocks = re.findall(r"(?ms)^Test (\S+) \w+$.*?^(Ok|No|Undef|Loop \w+)$", result.stdout)
        self.assertEqual([name for name, output in blocks if output != "Ok"], [])
        return len(blocks)

    def test_x86_under_tso(self):
        self.needs_an_engine()
        count = self.expect_all_ok(self.run_litmus("--model", "tso", CORPUS / "x86"))
        self.assertEqual(count, len(list((CORPUS / "x86").glob("*.litmus"))))

    def test_each_under_the_model_of_its_architecture(self):
        self.needs_an_engine()
        for folder in sorted(p for p in CORPUS.iterdir() if p.is_dir()):
            with self.subTest(folder=folder.name):
                result = self.run_litmus(folder)
                if "unknown memory model" in result.stderr:
                    self.skipTest(result.stderr)
                self.assertGreater(self.expect_all_ok(result), 0)


if __name__ == "__main__":
    main(__doc__)
