#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-3.0-or-later
"""`fenceline infer` as its users and their scripts meet it: exit statuses, the patch, the JSON result, limits.

    test_infer.py PROGRAM [unittest options]
"""

import json
import os
import pathlib
import xml.etree.ElementTree

from program_case import INPUT, NO_FILE, ROOT, UNKNOWN, USAGE, ProgramCase, main

PETERSON = ROOT / "corpus/mutex/peterson.fl"

FOUND, IMPOSSIBLE = 0, 1

GOOD = "shared int x = 0;\nthread P { x = 1; }\nproperty small: never (x == 2);\n"
# Incorrect on every machine.
RACE = """\
shared int x = 0;
thread P[i in 0..1] { int r = x; x = r + 1; }
property both: finally (x == 2);
"""
# Message passing: right on TSO, needs a store-store fence on PSO.
MESSAGE = """\
shared int data, ready;
thread P { data = 1; ready = 1; }
thread Q {
  int r = ready;
  int s = data;
}
property passed: finally (Q.r == 0 || Q.s == 1);
"""
# Two properties that need a fence each; unbraced bodies.
TWO = """\
shared int a, b, c, d;
thread P {
  int r, t = 1;
  if (t == 1) a = 1;
  r = b;
}
thread Q {
  int r;
  b = 1;
  r = a;
}
thread R { c = 1; d = 1; }
thread S { int r = d; int s = c; }
property sb: finally (P.r == 1 || Q.r == 1);
property mp: finally (S.r == 0 || S.s == 1);
"""
# On PSO `ready` may overtake `data`, unless a fence is behind it or on both paths to `ready`.
BRANCHES = """\
shared int data, a, b, ready;

thread P {

  data = 1;
  choose {

    a = 1;
  } or {
    b = 1;
  }
  ready = 1;
}
thread Q { int r, s; r = ready; s = data; }
property passed: finally (Q.r == 0 || Q.s == 1);
"""
HUGE = """\
shared int x[6], y;
thread P[i in 0..5] {
  local int r = 0;
  while (true) { havoc r in 0..1000; x[i] = r; r = y; }
}
property small: never (x[0] == 1001);
"""


class Infer(ProgramCase):

    def infer(self, *words, expect=FOUND):
        return self.run_it("infer", *words, expect=expect).stdout

    def json_of(self, *words, expect=FOUND):
        """The JSON result, which must follow its schema."""
        text = self.infer("--json", "-", *words, expect=expect)
        self.follows_schema(text)
        return json.loads(text)["results"]

    # --- what no method takes -----------------------------------------------------------------------------------

    def test_a_task_that_no_machine_supports_is_unknown(self):
        havoc = self.file("havoc.fl", "shared int x; thread P { int r; havoc r in 0..1000000; x = r; } property p: never (x == 5);")
        for method in ("lazy", "avoid", "foil", "prop", "bfs", "dfs", "descent"):
            engine = "queue" if method == "foil" else "coherence"
            for words in (["--model", "rmo", PETERSON], ["--engine", engine, havoc]):
                with self.subTest(method=method, words=words):
                    (result,) = self.json_of("--method", method, *words, expect=UNKNOWN)
                    self.assertEqual(result["verdict"], "unknown")
                    self.assertNotEqual(result["reason"], "")

    # --- what is found ------------------------------------------------------------------------------------------

    def test_peterson(self):
        for model, lines in (("tso", [11]), ("pso", [10, 11])):
            for engine in ("auto", "explicit", "coherence"):
                with self.subTest(model=model, engine=engine):
                    (result,) = self.json_of("--model", model, "--engine", engine, PETERSON)
                    self.assertEqual([fence["line"] for fence in result["fences"]], lines)
                    self.assertEqual(result["verdict"], "verified")
                    self.assertIs(result["minimum"], True)
                    self.assertEqual(result["minimum_under"], "exact")
                    self.assertEqual(result["fences"][0]["threads"], ["P[0]", "P[1]"])
                    self.assertEqual(result["fences"][-1]["after"], "turn = 1 - i;")
                    self.assertEqual(result["fences"][0]["kind"], "fence")

    def test_no_fences_are_needed(self):
        text = self.infer(self.file("good.fl", GOOD))
        self.assertIn("no fences are needed on tso", text)
        (result,) = self.json_of("--model", "tso", self.file("message.fl", MESSAGE))
        self.assertEqual(result["fences"], [])
        self.assertEqual(result["placements"], [[]])

    def test_the_default_model_is_tso(self):
        self.assertIn("1 fence needed on tso", self.infer(PETERSON))

    def test_no_fences_help(self):
        race = self.file("race.fl", RACE)
        text = self.infer(race, expect=IMPOSSIBLE)
        self.assertIn("no fences help on tso", text)
        self.assertIn("this does not depend on store buffers", text)
        (result,) = self.json_of(race, expect=IMPOSSIBLE)
        self.assertEqual(result["verdict"], "violated")
        self.assertTrue(result["trace"])
        self.assertIs(result["minimum"], False)
        self.assertIsNone(result["minimum_under"])

    def test_all_properties_are_repaired(self):
        two = self.file("two.fl", TWO)
        results = self.json_of("--model", "pso", "--all", two)
        self.assertEqual([(r["property"], r["verdict"]) for r in results], [("sb", "verified"), ("mp", "verified")])
        self.assertEqual([f["line"] for f in results[0]["fences"]], [4, 9, 12])
        self.assertIs(results[0]["all_placements"], True)
        (result,) = self.json_of("--model", "pso", "--property", "mp", two)
        self.assertEqual([f["line"] for f in result["fences"]], [12])

    def test_weaker_fences(self):
        message = self.file("message.fl", MESSAGE)
        (result,) = self.json_of("--model", "pso", "--fences", "any", message)
        self.assertEqual([(f["kind"], f["cost"]) for f in result["fences"]], [("sfence", 1)])
        (result,) = self.json_of("--model", "tso", "--fences", "any", PETERSON)
        self.assertEqual([(f["kind"], f["cost"]) for f in result["fences"]], [("fence(store-load)", 2)])

    def test_all_positions(self):
        (result,) = self.json_of("--positions", "all", "--all", PETERSON)
        self.assertGreater(result["candidates"], 3)
        self.assertEqual(len(result["fences"]), 1)

    def test_quiet_is_one_line(self):
        self.assertEqual(
            self.infer("--quiet", "--model", "pso", PETERSON),
            f"{PETERSON}: pso: 2 fences needed: fence after line 10, fence after line 11\n",
        )

    # --- by the last reordering ---------------------------------------------------------------------------------

    def test_foil(self):
        message = self.file("message.fl", MESSAGE)
        (result,) = self.json_of("--method", "foil", "--model", "pso", message)
        self.assertEqual([(f["line"], f["kind"], f["after"]) for f in result["fences"]], [(2, "fence", "data = 1;")])
        self.assertEqual((result["method"], result["engine"], result["verdict"]), ("foil", "queue", "verified"))
        self.assertIs(result["minimum"], False)
        self.assertIsNone(result["minimum_under"])
        (result,) = self.json_of("--method", "foil", "--model", "rmo-ctrl", "--positions", "all", "--fences", "any", message)
        self.assertEqual([(f["line"], f["kind"]) for f in result["fences"]], [(2, "sfence"), (4, "lfence")])
        self.assertEqual((result["rounds"], result["questions"], result["clauses"]), (3, 3, 0))

    def test_foil_claims_no_minimum(self):
        text = self.infer("--method", "foil", "--model", "pso", "--fences", "any", "--verbose", self.file("message.fl", MESSAGE))
        self.assertIn("1 fence is enough on pso (foil: 2 queries", text)
        self.assertIn("line 2: sfence; after data = 1;  (in P)", text)
        self.assertIn("last reordering of a counterexample: P does line 2 before line 2; sfence after line 2", text)
        self.assertIn("Fewer may be enough", text)
        self.assertIn("engine: queue; 2 candidate positions, 2 iterations\n", text)
        self.assertNotIn("abstract", text)

    def test_foil_needs_none(self):
        (result,) = self.json_of("--method", "foil", "--model", "tso", self.file("message.fl", MESSAGE))
        self.assertEqual(result["fences"], [])
        self.assertIs(result["minimum"], True)
        self.assertEqual(result["minimum_under"], "exact")

    def test_foil_where_nothing_is_overtaken(self):
        race = self.file("race.fl", RACE)
        text = self.infer("--method", "foil", "--model", "pso", race, expect=IMPOSSIBLE)
        self.assertIn("no fences help on pso", text)
        (result,) = self.json_of("--method", "foil", "--model", "pso", race, expect=IMPOSSIBLE)
        self.assertTrue(result["trace"])
        self.assertEqual([step for step in result["trace"] if step.get("overtaken")], [])

    def test_foil_without_a_candidate_position(self):
        message = self.file("message.fl", MESSAGE)
        text = self.infer("--method", "foil", "--model", "rmo-ctrl", message, expect=UNKNOWN)
        self.assertIn("Q does line 5 before line 4, and there is no candidate position", " ".join(text.split()))

    # --- the patch ----------------------------------------------------------------------------------------------

    def test_patch_to_a_file(self):
        text = self.infer("--model", "pso", "--patch", "repaired.fl", PETERSON)
        self.assertIn("+    fence;", text)
        self.run_it("check", "--model", "pso", "repaired.fl", expect=FOUND)
        repaired = (self.folder / "repaired.fl").read_text(encoding="utf-8")
        self.assertEqual(repaired.replace("    fence;\n", ""), PETERSON.read_text(encoding="utf-8"))

    def test_patch_to_standard_output_is_alone_there(self):
        text = self.infer("--patch", "-", self.file("two.fl", TWO))
        self.assertIn("if (t == 1) { a = 1; fence; }\n", text)
        self.assertTrue(text.startswith("shared int a"))
        self.run_it("check", "--model", "tso", self.file("again.fl", text), expect=FOUND)

    def test_in_place(self):
        path = pathlib.Path(self.file("mine.fl", TWO))
        os.chmod(path, 0o640)
        link = self.folder / "link.fl"
        link.symlink_to("mine.fl")
        self.infer("--model", "pso", "--in-place", "link.fl")
        self.assertTrue(link.is_symlink())
        self.assertEqual(path.stat().st_mode & 0o777, 0o640)
        self.run_it("check", "--model", "pso", path, expect=FOUND)
        self.assertIn("no fences are needed", self.infer("--model", "pso", path))
        self.assertEqual(sorted(p.name for p in self.folder.iterdir()), ["link.fl", "mine.fl"])

    def test_nothing_is_written_when_nothing_helps(self):
        race = self.file("race.fl", RACE)
        self.infer("--in-place", race, expect=IMPOSSIBLE)
        self.assertEqual(pathlib.Path(race).read_text(encoding="utf-8"), RACE)
        self.infer("--patch", "out.fl", race, expect=IMPOSSIBLE)
        self.assertFalse((self.folder / "out.fl").exists())

    # --- search among all sets of places ------------------------------------------------------------------------

    def test_lattice(self):
        for method in ("prop", "bfs", "dfs"):
            for engine, jobs in (("explicit", 1), ("auto", 1), ("auto", 3), ("coherence", 2), ("numeric", 2)):
                with self.subTest(method=method, engine=engine, jobs=jobs):
                    words = ["--method", method, "--engine", engine, "--jobs", jobs, "--model", "pso", "--all", PETERSON]
                    (result,) = self.json_of(*words)
                    self.assertEqual([fence["line"] for fence in result["fences"]], [10, 11])
                    self.assertEqual((result["method"], result["minimum_under"]), (method, "exact"))
                    self.assertIs(result["all_placements"], True)
                    self.assertEqual(len(result["placements"]), 1)
                    self.assertGreaterEqual(result["rounds"], 4)

    def test_queries_in_processes(self):
        # What comes back from another process is as good as what was found here.
        answers = []
        for jobs in (1, 2, 4):
            words = ["--engine", "numeric", "--method", "prop", "--jobs", jobs, "--model", "tso", "--all", "--certify", "always"]
            results = self.json_of(*words, ROOT / "corpus/numeric/pc1.fl")
            for result in results:
                self.assertEqual((result["engine"], result["method"]), ("numeric", "prop"))
                self.assertIs(result["certificate"]["checked"], True)
            answers.append([(r["property"], r["verdict"], r["fences"], r["placements"], r["states"]) for r in results])
        self.assertEqual(answers[0], answers[1])
        self.assertEqual(answers[0], answers[2])

    def test_a_counterexample_from_another_process(self):
        race = self.file("race.fl", RACE + "property again: finally (x == 2);\n")
        text = self.infer("--method", "prop", "--jobs", 2, "--model", "tso", race, expect=IMPOSSIBLE)
        self.assertIn("no fences help on tso", text)
        self.assertIn("x = 1 reaches memory", text)

    def test_lattice_lists_sets_of_different_sizes(self):
        # A fence right behind the first store is enough; so are two, one behind each of the stores in the branches.
        branches = self.file("branches.fl", BRANCHES)
        text = self.infer("--method", "prop", "--model", "pso", "--all", branches)
        self.assertIn("placement 1 of 2:\n  line 5: ", text)
        self.assertIn("placement 2 of 2:\n  line 8: ", text)
        self.assertIn("no fence can be removed from any of them, but some have more fences than the first", text)
        self.assertNotIn("choice 2", self.infer("--method", "prop", "--model", "pso", branches))

    def test_descent(self):
        text = self.infer("--method", "descent", "--model", "pso", "--verbose", PETERSON)
        self.assertIn("2 fences are enough on pso (descent: 4 queries", text)
        self.assertIn("another set of fences may be smaller", text)
        (result,) = self.json_of("--method", "descent", "--model", "tso", PETERSON)
        self.assertEqual([fence["line"] for fence in result["fences"]], [11])

    def test_lattice_where_nothing_helps(self):
        text = self.infer("--method", "prop", self.file("race.fl", RACE), expect=IMPOSSIBLE)
        self.assertIn("no fences help on tso (prop: 1 query", text)

    def test_lattice_verbose(self):
        text = self.infer("--method", "prop", "--model", "tso", "--verbose", PETERSON)
        self.assertIn("insufficient: fences after lines 10, 14", text)
        self.assertNotIn("clause", text)

    def test_plot(self):
        plot = self.folder / "search.svg"
        self.infer("--method", "prop", "--model", "pso", "--plot", plot, PETERSON)
        svg = plot.read_text(encoding="utf-8")
        self.assertEqual(xml.etree.ElementTree.fromstring(svg).tag, "{http://www.w3.org/2000/svg}svg")
        self.assertEqual(svg.count("<circle"), 4)
        self.assertNotIn("href", svg)
        self.run_it("infer", "--method", "prop", "--plot", "gone/search.svg", PETERSON, expect=USAGE)

    # --- what can be wrong --------------------------------------------------------------------------------------

    def test_usage(self):
        good = self.file("good.fl", GOOD)
        for words, complaint in [
            ([], "FILE"),
            ([good, good], "one FILE"),
            ([good, "--model", "tso,pso"], "one --model"),
            ([good, "--model", "alpha"], "alpha"),
            ([good, "--method", "guess"], "--method: 'guess' is none of auto, lazy, avoid, foil, prop, bfs, dfs and descent"),
            ([good, "--method", "descent", "--all"], "--method descent finds one placement"),
            ([good, "--plot", "x.svg"], "--plot draws a search of --method prop, bfs, dfs or descent"),
            ([good, "--method", "prop", "--plot", "./good.fl"], "overwrite"),
            ([good, "--method", "foil", "--engine", "explicit"], "--method foil needs traces of the queue engine, not of explicit"),
            ([good, "--method", "foil", "--all"], "--method foil finds one placement"),
            ([good, "--positions", "some"], "some"),
            ([good, "--fences", "cheap"], "cheap"),
            ([good, "--property", "nice"], "nice"),
            ([good, "--patch", "x.fl", "--in-place"], "contradict"),
            ([good, "--patch", "-", "--json", "-"], "standard output"),
            ([good, "--patch", "./good.fl"], "--in-place"),
            ([good, "--json", "./good.fl"], "overwrite"),
            ([good, "--no-reduction"], "--no-reduction"),
        ]:
            with self.subTest(words=words):
                result = self.run_it("infer", *words, expect=USAGE)
                self.assertIn(complaint, result.stderr)
                self.assertEqual(result.stdout, "")
        self.assertEqual(pathlib.Path(good).read_text(encoding="utf-8"), GOOD)
        result = self.run_it("check", good, "--patch", "x.fl", expect=USAGE)
        self.assertIn("--patch", result.stderr)

    def test_bad_input(self):
        self.infer(self.file("wrong.fl", "thread P { x = ; }\n"), expect=INPUT)
        self.infer("gone.fl", expect=NO_FILE)

    def test_no_engine(self):
        self.assertIn("unknown", self.infer("--model", "rmo", PETERSON, expect=UNKNOWN))

    def test_timeout(self):
        huge = self.file("huge.fl", HUGE)
        self.assertIn("time limit of 1 s", self.infer("--timeout", "1", huge, expect=UNKNOWN))
        (result,) = self.json_of("--timeout", "1", huge, expect=UNKNOWN)
        self.assertEqual(result["verdict"], "unknown")
        self.assertIs(result["minimum"], False)

    def test_help(self):
        text = self.infer("--help")
        for word in ("Usage: fenceline infer", "Examples:", "Exit status", "--positions", "--patch", "[stores]"):
            self.assertIn(word, text)
        self.assertNotIn("--no-reduction", text)
        self.assertLessEqual(max(map(len, text.splitlines())), 105)
        self.assertNotIn("--patch", self.run_it("check", "--help", expect=FOUND).stdout)


if __name__ == "__main__":
    main(__doc__)
