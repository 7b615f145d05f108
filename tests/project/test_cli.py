#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-3.0-or-later
"""The program as its users and their scripts meet it: exit statuses, help, several files, odd paths, limits, Ctrl-C.

    test_cli.py PROGRAM [unittest options]
"""

import json
import os
import pathlib
import pty
import re
import shutil
import signal
import subprocess
import time
import unittest

from program_case import (
    INPUT,
    INTERRUPTED,
    NEVER,
    NO_FILE,
    PATIENCE,
    ROOT,
    UNAVAILABLE,
    UNKNOWN,
    USAGE,
    VERIFIED,
    VIOLATED,
    ProgramCase,
    main,
)

PETERSON = ROOT / "corpus/mutex/peterson.fl"

GOOD = """\
shared int x = 0;
thread P { x = 1; }
property small: never (x == 2);
"""
WRONG = "shared int x = 0;\nthread P { x = ; }\nproperty small: never (x == 2);\n"
# Far more states than any test may wait for.
HUGE = """\
shared int x[6];
thread P[i in 0..5] {
  local int r = 0;
  while (true) { havoc r in 0..1000; x[i] = r; }
}
property small: never (x[0] == 1001);
"""
# Its store buffer grows without end.
ENDLESS = "shared int x = 0;\nthread P { while (true) { x = 1; } }\nproperty small: never (x == 2);\n"


class Cli(ProgramCase):

    def file(self, name, text=GOOD):
        return super().file(name, text)

    # --- exit statuses -----------------------------------------------------------------------------------------

    def test_verified(self):
        result = self.run_it("check", "--model", "sc", PETERSON, expect=VERIFIED)
        self.assertIn("verified", result.stdout)
        self.assertEqual(result.stderr, "")

    def test_violated(self):
        result = self.run_it("check", PETERSON, expect=VIOLATED)
        self.assertIn("violated", result.stdout)

    def test_violated_counts_more_than_unknown(self):
        self.run_it("check", "--model", "tso,rmo", PETERSON, expect=VIOLATED)

    def test_unknown_counts_more_than_verified(self):
        self.run_it("check", "--model", "sc,rmo", PETERSON, expect=UNKNOWN)

    def test_no_engine_is_unknown_with_the_reason(self):
        result = self.run_it("check", "--model", "rmo", PETERSON, expect=UNKNOWN)
        self.assertIn("explicit", result.stdout)

    def test_a_bound_is_not_a_proof(self):
        result = self.run_it("check", "--engine", "explicit", self.file("endless.fl", ENDLESS), expect=UNKNOWN)
        self.assertNotIn("verified", result.stdout.split("\n")[0])

    def test_endless_buffers_are_for_the_engine_that_can_deal_with_them(self):
        result = self.run_it("check", "--verbose", self.file("endless.fl", ENDLESS), expect=VERIFIED)
        self.assertIn("store buffers can grow without bound, which coherence can handle", result.stdout)

    def test_usage(self):
        good = self.file("good.fl")
        for words, complaint in [
            ([], "command is missing"),
            (["explain"], "unknown command 'explain'"),
            (["--colour"], "--colour"),
            (["check"], "FILE"),
            (["check", good, "--colour"], "--colour"),
            (["check", good, "--model", "alpha"], "alpha"),
            (["check", good, "--model", "sc,,tso"], "empty"),
            (["check", good, "--engine", "magic"], "magic"),
            (["check", good, "--property", "nice"], "nice"),
            (["check", good, "--model", "sc", "--certify", "often"], "neither always, auto nor never"),
            (["check", good, "--model", "sc", "--abstraction", "fd9"], "unknown abstraction 'fd9'"),
            (["check", good, "--model", "sc", "--buffer-values", "signs"], "'signs' is neither exact, intervals nor parity"),
            (["check", good, "--timeout", "soon"], "soon"),
            (["check", good, "--timeout", "-1"], "-1"),
            (["check", good, "--timeout", "nan"], "nan"),
            (["check", good, "--jobs", "0"], "1 to 64"),
            (["check", good, "--threads", "5"], "0 to 4"),
            (["check", good, "--threads", "3"], "--threads is for transactional memories"),
            (["infer", good, "--variables", "1"], "--variables is for transactional memories"),
            (["check", good, "--jobs", "1.5"], "whole number"),
            (["check", good, "--json"], "--json"),
            (["check", good, "--quiet", "--verbose"], "contradict"),
            (["check", self.file("program.txt", "int main;")], ".fl"),
            (["check", self.file("noextension", GOOD)], ".fl"),
            (["models", "all"], "all"),
            (["reduce"], "FILE"),
            (["reduce", good, good], "one FILE"),
            (["reduce", good, "--model", "rmo"], "no store buffers"),
            (["reduce", good, "--model", "sc,tso"], "one --model"),
            (["check", good, "--layout", "octagonal"], "neither explicit nor paper"),
            (["reduce", good, "--refine", "some"], "neither all nor none"),
            (["reduce", good, "--slots", "17"], "0 to 16"),
            (["reduce", good, "--property", "nice"], "nice"),
            (["reduce", good, "--jobs", "2"], "--jobs"),
            (["reduce", self.file("queue.tests", "")], "not tests"),
        ]:
            with self.subTest(words=words):
                result = self.run_it(*words, expect=USAGE)
                self.assertIn(complaint, result.stderr)
                self.assertEqual(result.stdout, "")

    def test_commands_of_the_future(self):
        for command in ("certify",):
            for words in ([command], [command, "x.fl"], [command, "--help"]):
                result = self.run_it(*words, expect=USAGE)
                self.assertIn("not built yet", result.stderr)

    def test_bad_input(self):
        result = self.run_it("check", self.file("wrong.fl", WRONG), expect=INPUT)
        self.assertIn("wrong.fl:2:16: error:", result.stderr)
        self.assertEqual(result.stdout, "")

    def test_no_such_file(self):
        result = self.run_it("check", "gone.fl", expect=NO_FILE)
        self.assertIn("gone.fl", result.stderr)

    def test_directory(self):
        (self.folder / "folder.fl").mkdir()
        result = self.run_it("check", "folder.fl", expect=NO_FILE)
        self.assertIn("directory", result.stderr)

    @unittest.skipIf(os.geteuid() == 0, "root may read everything")
    def test_unreadable_file(self):
        path = self.file("secret.fl")
        os.chmod(path, 0)
        self.run_it("check", path, expect=NO_FILE)

    def test_file_that_opens_but_cannot_be_read(self):
        (self.folder / "memory.fl").symlink_to("/proc/self/mem")
        self.run_it("check", "memory.fl", expect=NO_FILE)

    def test_link_to_itself(self):
        (self.folder / "loop.fl").symlink_to("loop.fl")
        self.run_it("check", "loop.fl", expect=NO_FILE)

    def test_dangling_link(self):
        (self.folder / "link.fl").symlink_to("nowhere.fl")
        self.run_it("check", "link.fl", expect=NO_FILE)

    # --- several files, models, properties ---------------------------------------------------------------------

    def test_all_bad_files_are_named_and_nothing_is_checked(self):
        good, wrong = self.file("good.fl"), self.file("wrong.fl", WRONG)
        result = self.run_it("check", good, wrong, "gone.fl", expect=INPUT)
        self.assertIn("wrong.fl:2:16", result.stderr)
        self.assertIn("gone.fl", result.stderr)
        self.assertEqual(result.stdout, "")

    def test_the_first_failure_gives_the_status(self):
        self.run_it("check", "gone.fl", self.file("wrong.fl", WRONG), expect=NO_FILE)

    def test_quiet_is_one_line_per_answer(self):
        good = self.file("good.fl")
        result = self.run_it("check", "--quiet", "--model", "sc,tso,sc", "--model", "pso", good, PETERSON, expect=VIOLATED)
        self.assertEqual(
            result.stdout.splitlines(),
            [f"{good}: {model}: small: verified" for model in ("sc", "tso", "pso")]
            + [f"{PETERSON}: sc: mutex: verified"]
            + [f"{PETERSON}: {model}: mutex: violated" for model in ("tso", "pso")],
        )

    def test_property_selects(self):
        two = self.file("two.fl", GOOD + "property tiny: never (x == 1);\n")
        result = self.run_it("check", "--quiet", "--property", "small,small", two, expect=VERIFIED)
        self.assertEqual(result.stdout, f"{two}: tso: small: verified\n")
        result = self.run_it("check", "--quiet", two, expect=VIOLATED)
        self.assertEqual(result.stdout.count("\n"), 2)

    def test_a_file_whose_name_begins_with_a_dash(self):
        self.file("-odd.fl")
        self.run_it("check", "--", "-odd.fl", expect=VERIFIED)

    # --- reduce -------------------------------------------------------------------------------------------------

    def test_reduce_prints_a_program_for_sc(self):
        text = self.run_it("reduce", "--model", "pso", PETERSON, expect=VERIFIED).stdout
        self.assertTrue(text.startswith(f"// {PETERSON} on pso, as a program on sc: 2 slots"), text[:200])
        for word in ('"turn.P[0].count" in 0..2', '"flag[1].P[1].2"', 'mark "cs"', 'property "mutex" never', 'property "overflow"'):
            self.assertIn(word, text)
        self.assertNotIn('"b.P[0]', text)
        text = self.run_it("reduce", "--slots", "1", "--refine", "all", PETERSON, expect=VERIFIED).stdout
        for word in (" on tso, ", "1 slot in", '"P[0].1.cell"', '"b.P[0].0" in 0..1', '"P[1].count" in 0..1'):
            self.assertIn(word, text)
        self.assertNotIn('"P[0].2.cell"', text)

    def test_reduce_takes_the_selected_property(self):
        two = self.file("two.fl", GOOD + "property live: no deadlock;\nproperty tiny: never (x == 1);\n")
        self.assertIn('property "small"', self.run_it("reduce", two, expect=VERIFIED).stdout)
        text = self.run_it("reduce", "--property", "tiny", two, expect=VERIFIED).stdout
        self.assertIn('property "tiny"', text)
        self.assertNotIn('property "small"', text)
        result = self.run_it("reduce", "--property", "live", two, expect=UNKNOWN)
        self.assertIn("does not support deadlocks", result.stderr)
        self.assertEqual(result.stdout, "")

    def test_reduce_of_bad_input(self):
        result = self.run_it("reduce", self.file("wrong.fl", WRONG), expect=INPUT)
        self.assertIn("wrong.fl:2:16: error:", result.stderr)
        self.run_it("reduce", "gone.fl", expect=NO_FILE)

    # --- help ---------------------------------------------------------------------------------------------------

    def test_help(self):
        for words in (["--help"], ["check", "--help"], ["infer", "--help"], ["litmus", "--help"], ["reduce", "--help"], ["bench", "--help"], ["models", "--help"], ["engines", "--help"]):
            with self.subTest(words=words):
                result = self.run_it(*words, expect=VERIFIED)
                self.assertIn("Usage: fenceline", result.stdout)
                self.assertIn("Examples:", result.stdout)
                self.assertIn("Exit status", result.stdout)
                self.assertEqual(result.stderr, "")
                self.assertLessEqual(max(map(len, result.stdout.splitlines())), 105)

    def test_help_of_check_names_statuses_and_options(self):
        text = self.run_it("check", "--help", expect=VERIFIED).stdout
        for word in ("64", "65", "66", "70", "130", "--model", "--timeout", "--json", "[tso]"):
            self.assertIn(word, text)

    def test_version(self):
        self.assertRegex(self.run_it("--version", expect=VERIFIED).stdout, r"^fenceline \d+\.\d+\.\d+\n$")

    def test_models_and_engines(self):
        models = self.run_it("models", expect=VERIFIED).stdout
        for name in ("sc", "tso", "pso"):
            self.assertRegex(models, rf"(?m)^{name} +\w")
        self.assertRegex(self.run_it("engines", expect=VERIFIED).stdout, r"(?m)^explicit +\w")

    def test_bench_lists_its_tables(self):
        self.assertRegex(self.run_it("bench", expect=VERIFIED).stdout, r"(?m)^coherence-verify +\w")

    def test_bench_is_a_program_of_its_own(self):
        alone, tables = self.folder / "fenceline", self.folder / "fenceline-bench"
        shutil.copy(self.program, alone)
        words = [alone, "bench", "coherence-verify", "--only", "pet2", "--timeout", NEVER]
        result = subprocess.run(words, capture_output=True, text=True, timeout=PATIENCE, check=False)
        if result.returncode != VERIFIED:  # unless one is installed
            self.assertEqual(result.returncode, UNAVAILABLE, result.stderr)
            self.assertIn("needs the program fenceline-bench", result.stderr)
            self.assertIn(str(self.folder), result.stderr)
            self.assertEqual(result.stdout, "")
        shutil.copy(os.path.join(os.path.dirname(self.program), "fenceline-bench"), tables)
        result = subprocess.run(words, capture_output=True, text=True, timeout=PATIENCE, check=False)
        self.assertEqual(result.returncode, VERIFIED, result.stderr)
        self.assertIn("3 of 3 verdicts are the paper's", result.stdout)
        header = b"// expect-coherence"  # of a program of the corpus
        self.assertFalse(header in alone.read_bytes())
        self.assertTrue(header in tables.read_bytes())

    def test_bench_complains_as_ever(self):
        self.assertIn("unknown table 'nosuch'", self.run_it("bench", "nosuch", expect=USAGE).stderr)
        self.assertIn("no program 'pet9'", self.run_it("bench", "coherence-verify", "--only", "pet9", expect=USAGE).stderr)
        self.assertIn("--jobs", self.run_it("bench", "--jobs", "2", expect=USAGE).stderr)

    def test_bench_makes_tables(self):
        text = self.run_it("bench", "coherence-verify", "--only", "pet2", "--timeout", NEVER, expect=VERIFIED).stdout
        self.assertIn("3 of 3 verdicts are the paper's", text)
        text = self.run_it("bench", "coherence-infer", "--only", "sense0", "--timeout", "1", "--markdown", expect=VERIFIED).stdout
        self.assertIn("| sense0", text)
        self.assertIn("Where both end they agree", text)
        text = self.run_it("bench", "coherence-threads", "--only", "pet0", "--timeout", NEVER, expect=VERIFIED).stdout
        self.assertRegex(text, r"(?m)^pet0 +tso +fd2 +proved +1 ")

    def test_bench_makes_the_tables_of_data_types(self):
        rows = "ms2/T0,ms2/Ti2,msn/T0,lazylist/Sac,harris/Sar,snark/D0"
        text = self.run_it("bench", "checkfence", "--only", rows, "--timeout", NEVER, expect=VERIFIED).stdout
        self.assertIn("6 of 6 verdicts are the paper's", text)
        self.assertIn("6 of 6 verdicts are equal", text)
        self.assertRegex(text, r"(?m)^msn T0 +verified +20 +22 +9 +14 ")
        self.assertNotIn("checkfence-growth", text)
        words = ["bench", "checkfence-growth", "--timeout", NEVER]
        text = self.run_it(*words, "--only", "Tpc2,Tpc3", expect=VERIFIED).stdout
        self.assertRegex(text, r"(?m)^Tpc2 +verified ")
        self.assertIn("All of these tests were decided.", text)
        text = self.run_it(*words, "--memory", "30", expect=VERIFIED).stdout  # until it is not enough
        self.assertRegex(text, r"(?m)^Tpc\d+: .*memory limit of 30 MB")

    def test_bench_compares_the_specifications_of_opacity(self):
        text = self.run_it("bench", "opacity-spec", "--only", "2x2", "--timeout", NEVER, expect=VERIFIED).stdout
        self.assertRegex(text, r"(?m)^2x2 +Algorithm 2, deterministic +98,556 .* 46,000")
        self.assertRegex(text, r"(?m)^2x2 +minimal automaton +3,004 ")
        self.assertRegex(text, r"(?m)^2x2 +equal: yes")

    def test_bench_explores_transactional_memories(self):
        text = self.run_it("bench", "opacity-memories", "--only", "mcrt", "--timeout", NEVER, expect=VERIFIED).stdout
        self.assertRegex(text, r"(?m)^mcrt +sc +verified +148,054 +\S+ +295,794 .* 479,234 +265 ")
        self.assertRegex(text, r"(?m)^mcrt-fenced +rmo-ctrl +verified ")

    def test_bench_searches_the_lattice_of_fences(self):
        text = self.run_it("bench", "propagation", "--only", "pgsql", "--timeout", "1", expect=VERIFIED).stdout
        # Whether a search ends within its time depends on the machine, what it ends with does not.
        self.assertRegex(text, r"(?m)^tso +pgsql +prop +5,7 +5,7 +5,7 +(0 |\d+ +>=\d+ +\d+ +no end)")
        self.assertRegex(text, r"(?m)^pso +pgsql +bfs +8,2 +8,1 +7,1 +(2 |\d+ +>=\d+ +\d+ +no end)")
        self.assertRegex(text, r"all \d+ proofs of them were checked")

    def test_bench_knows_its_tables_and_rows(self):
        result = self.run_it("bench", "coherence-verfiy", expect=USAGE)
        self.assertIn("known tables: coherence-verify", result.stderr)
        result = self.run_it("bench", "coherence-verify", "--only", "pet3", expect=USAGE)
        self.assertIn("no program 'pet3'", result.stderr)
        self.assertEqual(result.stdout, "")

    # --- output -------------------------------------------------------------------------------------------------

    def test_json_on_standard_output_is_alone_there(self):
        result = self.run_it("check", "--json", "-", "--model", "sc,pso", PETERSON, expect=VIOLATED)
        document = json.loads(result.stdout)
        self.assertEqual(
            [(r["model"], r["property"], r["verdict"]) for r in document["results"]],
            [("sc", "mutex", "verified"), ("pso", "mutex", "violated")],
        )

    def test_json_follows_its_schema(self):
        inputs = [self.file("good.fl"), self.file("endless.fl", ENDLESS), PETERSON]
        result = self.run_it("check", "--json", "-", "--model", "sc,tso,pso,rmo", *inputs, expect=VIOLATED)
        self.follows_schema(result.stdout)

    def test_json_file_beside_the_text(self):
        result = self.run_it("check", "--json", "out put.json", self.file("good.fl"), expect=VERIFIED)
        self.assertIn("verified", result.stdout)
        document = json.loads((self.folder / "out put.json").read_text(encoding="utf-8"))
        self.assertEqual(len(document["results"]), 1)

    def test_json_that_cannot_be_written(self):
        good = self.file("good.fl")
        for path in ("no/such/folder.json", str(self.folder), "/dev/full"):
            with self.subTest(path=path):
                self.assertIn("cannot be written", self.run_it("check", "--json", path, good, expect=USAGE).stderr)

    def test_json_does_not_overwrite_an_input(self):
        good = self.file("good.fl")
        self.run_it("check", "--json", "./good.fl", good, expect=USAGE)
        self.assertEqual(pathlib.Path(good).read_text(encoding="utf-8"), GOOD)

    def test_bad_input_leaves_an_old_result_alone(self):
        old = self.file("old.json", "{}")
        self.run_it("check", "--json", old, self.file("wrong.fl", WRONG), expect=INPUT)
        self.assertEqual(pathlib.Path(old).read_text(encoding="utf-8"), "{}")

    def test_a_full_disk_is_not_verified(self):
        with open("/dev/full", "w", encoding="utf-8") as full:
            result = subprocess.run(
                [self.program, "check", self.file("good.fl")], stdout=full, stderr=subprocess.PIPE, text=True, check=False
            )
        self.assertEqual(result.returncode, USAGE)
        self.assertIn("standard output", result.stderr)

    def test_no_colours_and_no_progress_without_a_terminal(self):
        result = self.run_it("check", "--memory", "20", PETERSON, self.file("huge.fl", HUGE), expect=VIOLATED)
        self.assertNotIn("\033", result.stdout + result.stderr)
        self.assertNotIn("\r", result.stdout + result.stderr)

    def test_progress_only_on_a_terminal_and_not_when_quiet(self):
        """A limit ends the quiet one. The other one ends when it has printed something, however long that takes."""
        huge = self.file("huge.fl", HUGE)
        for words, quiet, status in ([["--timeout", "3", "--quiet"], True, UNKNOWN], [[], False, INTERRUPTED]):
            leader, follower = pty.openpty()
            process = subprocess.Popen([self.program, "check", *words, huge], stdout=subprocess.DEVNULL, stderr=follower)
            os.close(follower)
            received = b""
            try:
                while chunk := os.read(leader, 4096):
                    if not received:
                        process.send_signal(signal.SIGINT)
                    received += chunk
            except OSError:
                pass  # the other side is closed
            os.close(leader)
            self.assertEqual(process.wait(timeout=PATIENCE), status)
            self.assertEqual(bool(received), not quiet, received)

    def test_the_readme_shows_what_happens(self):
        """Each block of README.md that begins with `$ fenceline`: run here, but for the figures, it prints the same."""
        figures = re.compile(
            r"\((explicit|coherence|sat|executions|queue|numeric|lazy|prop): [^)]*\)|(?<=^Time )\S+ [\d.]+$", re.MULTILINE
        )
        text = (ROOT / "README.md").read_text(encoding="utf-8")
        blocks = re.findall(r"^```\n\$ fenceline ([^\n]*)\n(.*?)^```", text, re.MULTILINE | re.DOTALL)
        self.assertTrue(blocks)
        for words, expected in blocks:
            with self.subTest(words=words):
                result = subprocess.run(
                    [self.program, *words.split()], stdout=subprocess.PIPE, text=True, cwd=ROOT, timeout=PATIENCE, check=False
                )
                self.assertEqual(figures.sub("", result.stdout), figures.sub("", expected))

    # --- limits -------------------------------------------------------------------------------------------------

    def test_timeout(self):
        result = self.run_it("check", "--timeout", "1", self.file("huge.fl", HUGE), expect=UNKNOWN)
        self.assertIn("time limit of 1 s", result.stdout)

    def test_timeout_is_for_each_task(self):
        good, huge = self.file("good.fl"), self.file("huge.fl", HUGE)
        result = self.run_it("check", "--quiet", "--timeout", "10", huge, good, expect=UNKNOWN)
        self.assertTrue(result.stdout.endswith("good.fl: tso: small: verified\n"), result.stdout)

    def test_memory(self):
        result = self.run_it("check", "--memory", "20", self.file("huge.fl", HUGE), expect=UNKNOWN)
        self.assertIn("memory limit of 20 MB", result.stdout)

    def interrupt(self, *words, answers=0):
        """What it prints when it is interrupted, once it has printed so many lines and waits for signals."""
        process = subprocess.Popen(
            [self.program, *words], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, cwd=self.folder
        )
        first = "".join(process.stdout.readline() for _ in range(answers))
        caught = 0
        while not caught & 1 << signal.SIGINT - 1:
            status = pathlib.Path(f"/proc/{process.pid}/status").read_text(encoding="utf-8")
            caught = int(re.search(r"(?m)^SigCgt:\s*(\w+)", status)[1], 16)
            time.sleep(0.01)
        process.send_signal(signal.SIGINT)
        out, err = process.communicate(timeout=PATIENCE)
        self.assertEqual(process.returncode, INTERRUPTED, first + out + err)
        return first + out

    def test_interrupt_prints_what_is_known_so_far(self):
        files = self.file("good.fl"), self.file("huge.fl", HUGE), self.file("later.fl")
        out = self.interrupt("check", "--quiet", *files, answers=1)
        self.assertIn("good.fl: tso: small: verified\n", out)
        self.assertIn("huge.fl: tso: small: unknown\n", out)
        self.assertNotIn("later.fl", out)

    def test_interrupt_still_writes_json(self):
        out = self.interrupt("check", "--json", "-", self.file("huge.fl", HUGE))
        self.assertEqual([r["verdict"] for r in json.loads(out)["results"]], ["unknown"])


if __name__ == "__main__":
    main(__doc__)
