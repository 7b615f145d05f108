#!/usr/bin/python3
# SPDX-License-Identifier: GPL-3.0-or-later
"""What names, terminals, locales, compilers and signals can do to the program.

    robustness.py FENCELINE
"""

import json
import os
import pathlib
import shutil
import signal
import stat
import subprocess
import sys
import tempfile
import time
import unittest

sys.path.insert(0, str(pathlib.Path(__file__).parent))
from endless import PATIENCE, PROGRAMS, SupervisedRun, descendants, marked  # noqa: E402

ROOT = pathlib.Path(__file__).resolve().parents[2]
SCHEMA = ROOT / "docs" / "result.schema.json"
PETERSON = (ROOT / "corpus" / "mutex" / "peterson.fl").read_text(encoding="utf-8")
GOOD_C = "#include <fenceline.h>\nint x;\nint main(void) { x = 1; fl_assert(x == 1); return 0; }\n"
GOOD_TESTS = 'implementation "{}"\n\noperation f = int f();\n\ntest T = ( f | f )\n'
ESCAPE = "\x1b[31mred\x1b]0;title\x07\x7f\u009b31m"


class Robustness(unittest.TestCase):
    maxDiff = None

    def setUp(self):
        folder = tempfile.TemporaryDirectory(prefix="fenceline-robust-")
        self.addCleanup(folder.cleanup)
        self.folder = pathlib.Path(folder.name)

    def write(self, name, text):
        path = self.folder / name
        path.write_text(text, encoding="utf-8")
        return path

    def run_it(self, *words, expect, locale="C.UTF-8", path=None):
        environment = dict(os.environ, LC_ALL=locale)
        if path is not None:
            environment["PATH"] = path
        result = subprocess.run(
            [PROGRAM, *words], cwd=self.folder, env=environment, capture_output=True, timeout=PATIENCE, check=False
        )
        self.assertEqual(result.returncode, expect, (result.stdout + result.stderr).decode(errors="replace"))
        return result

    # --- names --------------------------------------------------------------------------------------------------

    def test_a_file_name_is_no_option(self):
        for name in ("-ovictim.c", "@victim.c", "-fplugin=victim.c"):
            with self.subTest(name=name):
                self.write("victim.c", "precious\n")
                self.write(name, GOOD_C)
                self.run_it("check", "--", name, expect=0)
                self.assertEqual((self.folder / "victim.c").read_text(), "precious\n")

    def test_nor_is_one_in_a_file_of_tests_or_a_folder_of_headers(self):
        self.write("victim", "precious\n")
        self.write("-ovictim.c", "int x;\nint f() { return 1; }\n")
        self.write("a.tests", GOOD_TESTS.format("-ovictim.c"))
        self.run_it("check", "--model", "sc", "a.tests", expect=0)
        (self.folder / "-ovictim").mkdir()
        self.write("-ovictim/here.h", "#define HERE 1\n")
        self.write("b.c", "#include <here.h>\n" + GOOD_C)
        self.run_it("check", "-I-ovictim", "b.c", expect=0)
        self.run_it("check", "-D-ovictim", "b.c", "-I-ovictim", expect=65)
        self.assertEqual((self.folder / "victim").read_text(), "precious\n")

    def assert_harmless(self, result):
        for stream in (result.stdout, result.stderr):
            text = stream.decode("utf-8")
            bad = [c for c in text if (ord(c) < 32 and c not in "\n\t") or 127 <= ord(c) < 160]
            self.assertEqual(bad, [], stream)

    def test_no_control_characters_reach_the_terminal(self):
        name = ESCAPE.replace("/", "")
        self.assert_harmless(self.run_it("check", name + ".fl", expect=66))
        self.assert_harmless(self.run_it("check", name + ".c", expect=66))
        self.assert_harmless(self.run_it("check", name, expect=64))
        self.assert_harmless(self.run_it(name, expect=64))
        self.assert_harmless(self.run_it("litmus", name + ".litmus", expect=66))
        self.write("good.fl", PETERSON)
        for option in ("--model", "--engine", "--property", "--json"):
            operand = name + "/no" if option == "--json" else name
            self.assert_harmless(self.run_it("check", option, operand, "good.fl", expect=64))
        self.assert_harmless(self.run_it("check", "--model", name + ".cat", "good.fl", expect=66))
        self.assert_harmless(self.run_it("infer", name + ".fl", expect=66))
        self.assert_harmless(self.run_it("reduce", name + ".fl", expect=66))

    def test_nor_out_of_files(self):
        self.write("bad.fl", f"shared int {ESCAPE} = 0;\n")
        self.assert_harmless(self.run_it("check", "bad.fl", expect=65))
        self.write("a.c", '#include <fenceline.h>\nint main(void) { __asm__("x\\033[31m" "%s"); return 0; }\n' % "red")
        self.assert_harmless(self.run_it("check", "a.c", expect=65))
        self.write("b.c", f"#error {ESCAPE}\n")
        self.assert_harmless(self.run_it("check", "b.c", expect=65))
        self.write(f"{ESCAPE}.c", "int main(void) { return y; }\n")
        self.assert_harmless(self.run_it("check", f"{ESCAPE}.c", expect=65))
        self.write("c.c", f'#line 1 "{ESCAPE}.h"\nint main(void) {{ return y; }}\n')
        self.assert_harmless(self.run_it("check", "c.c", expect=65))
        self.write("d.litmus", f"X86 {ESCAPE}\n{{ x=0; }}\n P0 ;\n MOV EAX,[x] ;\nexists (0:EAX=0)\n")
        result = subprocess.run([PROGRAM, "litmus", "d.litmus"], cwd=self.folder, capture_output=True, check=False)
        self.assert_harmless(result)
        self.write("e.cat", f'"{ESCAPE}"\nacyclic po as {ESCAPE}\n')
        self.write("good.fl", PETERSON)
        result = subprocess.run(
            [PROGRAM, "check", "--model", "e.cat", "good.fl"], cwd=self.folder, capture_output=True, check=False
        )
        self.assert_harmless(result)

    def test_bytes_that_are_no_utf8(self):
        name = os.fsdecode(b"\xff\xfe\x80")
        self.assert_harmless(self.run_it("check", name + ".fl", expect=66))

    def test_ascii_where_the_locale_is_not_utf8(self):
        self.write("peterson.fl", PETERSON)
        for locale in ("C", "POSIX", "de_DE.ISO-8859-1"):
            for words in (["check", "peterson.fl"], ["infer", "peterson.fl"], ["check", "é.fl"]):
                with self.subTest(locale=locale, words=words):
                    result = subprocess.run(
                        [PROGRAM, *words],
                        cwd=self.folder,
                        env=dict(os.environ, LC_ALL=locale),
                        capture_output=True,
                        check=False,
                    )
                    (result.stdout + result.stderr).decode("ascii")
        self.assertIn("│", self.run_it("check", "peterson.fl", expect=1).stdout.decode())
        ascii_text = self.run_it("check", "peterson.fl", expect=1, locale="C").stdout.decode()
        self.assertIn(" | ", ascii_text)
        self.assertNotIn("\\x", ascii_text)

    # --- files --------------------------------------------------------------------------------------------------

    def test_in_place_keeps_the_file_that_it_was(self):
        path = self.write("peterson.fl", PETERSON)
        other = self.folder / "other-name.fl"
        os.link(path, other)
        link = self.folder / "link.fl"
        link.symlink_to("peterson.fl")
        path.chmod(0o640)
        inode = path.stat().st_ino
        self.run_it("infer", "--in-place", "link.fl", expect=0)
        self.assertIn("fence", path.read_text())
        self.assertNotEqual(path.read_text(), PETERSON)
        self.assertEqual(other.read_text(), path.read_text())
        self.assertTrue(link.is_symlink())
        self.assertEqual(path.stat().st_ino, inode)
        self.assertEqual(stat.S_IMODE(path.stat().st_mode), 0o640)
        self.assertEqual(sorted(os.listdir(self.folder)), ["link.fl", "other-name.fl", "peterson.fl"])

    def test_in_place_does_not_replace_what_is_read_only(self):
        path = self.write("peterson.fl", PETERSON)
        path.chmod(0o444)
        self.assertIn(b"read-only", self.run_it("infer", "--in-place", "peterson.fl", expect=64).stderr)
        self.assertEqual(path.read_text(), PETERSON)
        self.assertEqual(os.listdir(self.folder), ["peterson.fl"])

    def test_results_take_the_place_of_earlier_ones_when_they_are_complete(self):
        self.write("peterson.fl", PETERSON)
        target = self.write("real.json", "earlier")
        link = self.folder / "result.json"
        link.symlink_to("real.json")
        self.run_it("check", "--json", "result.json", "bad.fl", expect=66)
        self.assertEqual(target.read_text(), "earlier")
        self.run_it("check", "--json", "result.json", "peterson.fl", expect=1)
        self.assertTrue(link.is_symlink())
        self.assertEqual(json.loads(target.read_text())["results"][0]["verdict"], "violated")
        self.run_it("check", "--json", "/dev/null", "peterson.fl", expect=1)
        self.assertFalse(stat.S_ISREG(os.stat("/dev/null").st_mode))
        target.chmod(0o444)
        self.run_it("check", "--json", "result.json", "peterson.fl", expect=64)
        self.assertEqual(sorted(os.listdir(self.folder)), ["peterson.fl", "real.json", "result.json"])

    def test_proofs_and_invariants(self):
        self.write("fenced.fl", (ROOT / "corpus/litmus/2+2w+fences.fl").read_text())
        self.run_it("check", "--engine", "sat", "--model", "sc", "--proof", "p.drat", "fenced.fl", expect=0)
        self.assertGreater((self.folder / "p.drat.cnf").stat().st_size, 0)
        self.run_it("check", "--engine", "numeric", "--invariant", "i.txt", "fenced.fl", expect=0)
        self.assertGreater((self.folder / "i.txt").stat().st_size, 0)
        self.assertEqual(sorted(os.listdir(self.folder)), ["fenced.fl", "i.txt", "p.drat", "p.drat.cnf"])
        self.run_it("check", "--engine", "sat", "--proof", "no/such/folder", "fenced.fl", expect=64)

    # --- the compiler -------------------------------------------------------------------------------------------

    def compiler(self, text):
        """A folder whose clang-19 is this shell script."""
        folder = self.folder / "bin"
        folder.mkdir(exist_ok=True)
        script = folder / "clang-19"
        script.write_text("#!/bin/sh\n" + text)
        script.chmod(0o755)
        return f"{folder}:/usr/bin:/bin"

    def test_a_compiler_that_is_missing_or_crashes_is_no_verdict(self):
        self.write("a.c", GOOD_C)
        empty = self.folder / "empty"
        empty.mkdir()
        self.assertIn(b"clang-19", self.run_it("check", "a.c", expect=69, path=str(empty)).stderr)
        for text in ("kill -SEGV $$", "echo 'PLEASE submit a bug report' >&2; exit 1", "exit 254"):
            result = self.run_it("check", "--json", "r.json", "a.c", expect=69, path=self.compiler(text))
            self.assertIn(b"crashed", result.stderr)
            self.assertFalse((self.folder / "r.json").exists())

    def test_a_compiler_that_does_not_end_is_ended_with_its_children(self):
        self.write("a.c", GOOD_C)
        path = os.environ["PATH"]
        os.environ["PATH"] = self.compiler("sleep 86400 & sleep 86400\n")
        try:
            run = SupervisedRun(PROGRAM, ["check", "--timeout", "1", "a.c"], self.folder, SCHEMA)
        finally:
            os.environ["PATH"] = path
        self.assertTrue(run.watch(PATIENCE))
        self.assertEqual(run.process.returncode, 2, run.output())
        self.assertEqual(list(run.complaints_about_leftovers()), [])
        self.assertEqual(list(run.complaints_about_json()), [])

    # --- signals and crashes ------------------------------------------------------------------------------------

    def begun(self, *words):
        """A run that has got as far as its worker."""
        self.write("huge.fl", PROGRAMS["huge.fl"])
        (self.folder / "out").mkdir(exist_ok=True)
        (self.folder / "out" / "result.json").write_text("earlier")
        run = SupervisedRun(PROGRAM, [*words, "huge.fl"], self.folder, SCHEMA)
        end = time.monotonic() + PATIENCE
        while len(descendants(run.process.pid)) < 2 and time.monotonic() < end:
            time.sleep(0.01)
        return run

    def test_terminated(self):
        for which in (signal.SIGTERM, signal.SIGINT, signal.SIGHUP):
            for words in (["check"], ["infer"]):
                run = self.begun(*words)
                run.process.send_signal(which)
                self.assertTrue(run.watch(PATIENCE))
                self.assertEqual(run.process.returncode, 128 + which, run.output())
                self.assertEqual(run.json.read_text(), "earlier")
                self.assertEqual(list(run.complaints_about_leftovers()), [])

    def test_a_crash_is_a_bug_with_a_valid_result(self):
        run = self.begun("check")
        os.kill(descendants(run.process.pid)[1], signal.SIGSEGV)
        self.assertTrue(run.watch(PATIENCE))
        self.assertEqual(run.process.returncode, 70, run.output())
        self.assertEqual(list(run.complaints_about_json()), [])
        self.assertEqual(json.loads(run.json.read_text())["failure"]["status"], 70)
        self.assertEqual(list(run.complaints_about_leftovers()), [])

    def test_who_is_killed_takes_the_worker_along(self):
        run = self.begun("check")
        run.process.kill()
        run.process.wait()
        end = time.monotonic() + PATIENCE
        while marked(run.mark) and time.monotonic() < end:
            time.sleep(0.05)
        self.assertEqual(marked(run.mark), [])

    def test_a_limit_of_one_task_is_none_of_the_next(self):
        self.write("huge.fl", PROGRAMS["huge.fl"])
        self.write("havoc.fl", PROGRAMS["havoc.fl"])
        self.write("good.fl", PETERSON)
        result = self.run_it(
            "check", "--quiet", "--timeout", "4", "--model", "tso,rmo", "huge.fl", "havoc.fl", "good.fl", expect=1
        )
        lines = result.stdout.decode().splitlines()
        self.assertEqual([line.rsplit(" ", 1)[1] for line in lines[:4]], ["unknown"] * 4, lines)
        self.assertTrue(any(line.startswith("good.fl: tso: mutex: violated") for line in lines), lines)


if __name__ == "__main__":
    PROGRAM = os.path.abspath(sys.argv.pop(1))
    if shutil.which("clang-19") is None:
        print("clang-19 is missing", file=sys.stderr)
    unittest.main()
