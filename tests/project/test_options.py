#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-3.0-or-later
"""Every option does something, is documented and is tested; and what those do that no other test uses.

The names come from `fenceline COMMAND --help-all`, their fields from the rows of the option groups in src/.

    test_options.py PROGRAM [unittest options]
"""

import pathlib
import re

from program_case import NEVER, ROOT, UNKNOWN, USAGE, VERIFIED, VIOLATED, ProgramCase, main

COMMANDS = ("check", "infer", "litmus", "reduce")

ROW = re.compile(r'\{"(--[a-z-]+|-[A-Z])",.*?&(?:\w+::)*(\w+)::(\w+)\b', re.DOTALL)


def read(folder, *endings):
    """{path: text} of the files below `folder` (or of the file)."""
    found = [folder] if folder.is_file() else [path for path in folder.rglob("*") if path.is_file()]
    return {path: path.read_text(encoding="utf-8", errors="replace") for path in found if path.suffix in endings}


SOURCES = read(ROOT / "src", ".h", ".cpp")
PAGES = {**read(ROOT / "docs", ".md"), **read(ROOT / "README.md", ".md")}
SCRIPTS = {}
for name in ("project", "cli", "fuzz"):
    SCRIPTS.update(read(ROOT / "tests" / name, ".py", ".sh"))


def is_declaration(path):
    return path.stem in ("options", "command_options")


def fields():
    """{option: {(struct, field)}} of all rows."""
    rows = {}
    for path, text in SOURCES.items():
        if is_declaration(path):
            for name, struct, field in ROW.findall(text):
                rows.setdefault(name, set()).add((struct, field))
    return rows


def is_read(struct, field):
    """Does code that knows the struct look at the field?"""
    use = rf"\boptions_?\.{field}\b" if struct == "Options" else rf"[.>]{field}\b"
    return any(
        struct in ("Options", *re.findall(r"\b\w+Options\b", text)) and re.search(use, text)
        for path, text in SOURCES.items()
        if not is_declaration(path)
    )


def mentions(texts, option, form):
    pattern = re.compile(form.format(re.escape(option)))
    return any(pattern.search(text) for text in texts.values())


def complaints(option, where):
    """What the option with these fields lacks."""
    lacks = [f"{option}: nothing reads {'::'.join(field)}" for field in sorted(where) if not is_read(*field)]
    if not mentions(PAGES, option, r"(?<![\w-]){}(?![\w-])"):
        lacks.append(f"{option}: neither docs/ nor README.md has it")
    if not mentions(SCRIPTS, option, r"""["' ]{}["' =]""" if option.startswith("--") else r"""["']{}"""):
        lacks.append(f"{option}: no script of tests/ uses it")
    return lacks


class Options(ProgramCase):

    def file(self, name, text):
        return pathlib.Path(super().file(name, text))

    def said(self, *words, expect):
        result = self.run_it(*words, expect=expect)
        return result.stdout + result.stderr

    def check(self, *words, expect):
        return self.said("check", "--timeout", NEVER, *words, expect=expect)

    def names(self, *words):
        return set(re.findall(r"(?m)^  (--[a-z-]+|-[A-Z])\b", self.said(*words, expect=VERIFIED)))

    # --- all options --------------------------------------------------------------------------------------------

    def test_every_option_is_read_documented_and_tested(self):
        shown = set().union(*(self.names(command, "--help-all") for command in COMMANDS))
        rows = fields()
        self.assertEqual(shown - {"--help", "--help-all"}, set(rows))
        self.assertEqual([lack for option in sorted(rows) for lack in complaints(option, rows[option])], [])

    def test_an_option_without_them_is_complained_about(self):
        self.assertEqual(len(complaints("--no" + "-such-option", {("Options", "no_such_field")})), 3)
        self.assertEqual(len(complaints("--no" + "-such-option", {("SatOptions", "no_such_field")})), 3)
        self.assertEqual(complaints("--model", {("Options", "models")}), [])

    def test_help_shows_the_common_ones(self):
        for command in COMMANDS:
            common, every = self.names(command, "--help"), self.names(command, "--help-all")
            self.assertLessEqual(common, every)
            self.assertLessEqual({"--model", "--timeout", "--memory", "--help", "--help-all"}, common)
        self.assertIn("--help-all", self.said("check", "--help", expect=VERIFIED).splitlines()[-1])
        self.assertIn("--help-all", self.said("infer", "--help", expect=VERIFIED).splitlines()[-1])
        self.assertLessEqual({"--layout", "--search", "--no-reduction"}, self.names("check", "--help-all"))
        self.assertFalse({"--layout", "--search", "--no-reduction"} & self.names("check", "--help"))
        for command in ("bench", "models", "engines"):
            self.assertEqual(
                self.said(command, "--help", expect=VERIFIED), self.said(command, "--help-all", expect=VERIFIED)
            )
        self.assertEqual(self.said("--help", expect=VERIFIED), self.said("--help-all", expect=VERIFIED))

    def test_the_options_of_a_group_have_its_title(self):
        text = self.said("check", "--help-all", expect=VERIFIED)
        numeric = text[text.index("Numeric engine") :]
        self.assertIn("--domain D", numeric)
        self.assertLessEqual(max(map(len, text.splitlines())), 105)

    def test_what_is_gone(self):
        self.assertIn("--seed", self.said("check", "x.fl", "--seed", "1", expect=USAGE))

    # --- those that no other test uses --------------------------------------------------------------------------

    def test_buffer_limit(self):
        endless = self.file("e.fl", "shared int x; thread P { while (true) { x = 1; } } property p: never (x == 2);")
        words = ["--engine", "explicit", "--model", "tso", endless]
        self.assertIn("at most 3 pending stores", self.check("--buffer-limit", "3", *words, expect=UNKNOWN))
        self.assertIn("at most 8 pending stores", self.check(*words, expect=UNKNOWN))

    def test_deadlock(self):
        stuck = self.file("s.fl", "shared int x; thread P { await (x == 1); } property p: never (x == 2);")
        self.check("--model", "sc", stuck, expect=VERIFIED)
        self.assertIn("deadlock", self.check("--model", "sc", "--deadlock", stuck, expect=VIOLATED))

    def test_liveness(self):
        spins = self.file("w.fl", "shared int x; thread P { while (x == 0) { } } property p: never (x == 2);")
        self.check("--model", "sc", spins, expect=VERIFIED)
        said = self.check("--model", "sc", "--liveness", spins, expect=VIOLATED)
        self.assertIn("waits for ever in the loop", said)
        for engine in ["coherence", "automata", "numeric", "sat", "enumeration"]:
            said = self.check("--model", "sc", "--property", "liveness", "--engine", engine, spins, expect=UNKNOWN)
            self.assertIn("does not support liveness", said)

    def test_leaks(self):
        leaky = self.file("l.c", "#include <stdlib.h>\nint main(void) {\n  int* p = malloc(sizeof *p);\n  *p = 1;\n}\n")
        self.check("--model", "sc", leaky, expect=VERIFIED)
        self.check("--model", "sc", "--leaks", leaky, expect=VIOLATED)

    def test_max_order(self):
        words = ["--engine", "coherence", "--model", "tso", ROOT / "corpus/blender/clh2.fl"]
        self.check(*words, expect=VERIFIED)
        self.check("--max-order", "0", *words, expect=UNKNOWN)

    def test_symmetry(self):
        words = ["--model", "sc", "--verbose", "--property", "opaque", "--variables", "1", ROOT / "corpus/stm/dstm.fl"]
        with_it, without = self.check(*words, expect=VERIFIED), self.check("--no-symmetry", *words, expect=VERIFIED)
        names = r"names.of.threads\D*(\d+)"
        self.assertGreater(int(re.search(names, with_it).group(1)), 1)
        self.assertEqual(int(re.search(names, without).group(1)), 1)

    def test_of_the_numeric_engine(self):
        counting = "shared int x; thread P { int r; while (true) { r = r + 1; x = r; } } property p: always (x >= 0);"
        words = ["--engine", "numeric", "--model", "tso", "--verbose", self.file("c.fl", counting)]
        for domain in ("polyhedra", "octagons", "differences", "boxes"):
            self.assertIn(f"; {domain},", self.check("--domain", domain, *words, "--json", "-", expect=VERIFIED))
        self.check("--disjuncts", "1", *words, expect=VERIFIED)
        self.assertIn("none of", self.check("--domain", "spheres", *words, expect=USAGE))

    def test_arrays(self):
        ring = (
            "shared int items[4];\n"
            "thread P { int t; while (true) { items[t % 4] = 1; t = t + 1; } }\n"
            "thread Q { int h, r; while (true) { r = items[h % 4]; h = h + 1; assert (r <= 1); } }\n"
        )
        words = ["--engine", "numeric", "--model", "tso", self.file("r.fl", ring)]
        self.check("--arrays", "smash", "--domain", "polyhedra", *words, expect=VERIFIED)
        self.check("--arrays", "crushed", *words, expect=USAGE)

    def test_confirm(self):
        wrong = self.file("w.fl", "shared int x; thread P { x = 1; } property p: always (x == 0);")
        words = ["--engine", "numeric", "--model", "sc", wrong]
        self.check(*words, expect=VIOLATED)
        self.check("--no-confirm", *words, expect=UNKNOWN)


if __name__ == "__main__":
    main(__doc__)
