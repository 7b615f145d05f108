#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-3.0-or-later
"""Rules that hold for the tree as a whole: licence lines, no traces of the machine it was written on, scripts that parse,
links that lead somewhere. Each test lists all offenders, not only the first."""

import pathlib
import re
import subprocess
import unittest

ROOT = pathlib.Path(__file__).resolve().parent.parent.parent


def all_files():
    """The files under version control; in an unpacked archive without git, all but what was built."""
    listing = subprocess.run(
        ["git", "-C", str(ROOT), "ls-files", "-z"], capture_output=True, text=True, check=False
    )
    if listing.returncode == 0 and listing.stdout:
        names = [ROOT / name for name in listing.stdout.split("\0") if name]
    else:
        names = [p for p in ROOT.rglob("*") if not p.relative_to(ROOT).parts[0].startswith(("build", ".git"))]
    return sorted(p for p in names if p.is_file())


def text_of(path):
    data = path.read_bytes()
    return None if b"\0" in data else data.decode("utf-8", errors="replace")


def first_line(path):
    text = text_of(path)
    return text.split("\n", 1)[0] if text else ""


def is_shell(path):
    return path.suffix == ".sh" or re.match(r"#!.*\b(ba)?sh\b", first_line(path)) is not None


def is_source(path):
    return (
        path.suffix in (".cpp", ".h", ".py", ".cmake")
        or path.name in ("CMakeLists.txt", "Makefile")
        or is_shell(path)
    )


def relative(path):
    return path.relative_to(ROOT).as_posix()


def slug(heading):
    """The anchor that renderers of Markdown give to a heading."""
    text = re.sub(r"[`*]|\[([^\]]*)\]\([^)]*\)", lambda m: m.group(1) or "", heading).strip().lower()
    return re.sub(r"[^\w\- ]", "", text).replace(" ", "-")


def without_code(markdown):
    markdown = re.sub(r"^(```|~~~).*?^\1", "", markdown, flags=re.MULTILINE | re.DOTALL)
    return re.sub(r"`[^`\n]*`", "", markdown)


class Tree(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.files = all_files()

    def none(self, offenders, rule):
        self.assertFalse(offenders, f"{rule}:\n  " + "\n  ".join(offenders))

    def test_there_are_files(self):
        self.assertIn("CMakeLists.txt", [relative(p) for p in self.files])

    def test_every_source_file_has_its_licence_line(self):
        line = "SPDX-License-Identifier: GPL-3.0-or-later"
        self.none(
            [relative(p) for p in self.files if is_source(p) and line not in "\n".join((text_of(p) or "").split("\n")[:3])],
            f'"{line}" is missing from the first three lines of',
        )

    def test_no_package_hosts_and_no_paths_of_one_machine(self):
        # Where packages come from is the business of the machine they are installed on.
        hosts = re.compile(
            r"\b(deb|security|ftp[\w.]*|snapshot)\.debian\.org|\barchive\.ubuntu\.com|\bpypi\.org|\bpythonhosted\.org"
            r"|\bregistry\.npmjs\.org|\bcrates\.io|\bconda\.anaconda\.org|\bapt\.llvm\.org"
        )
        paths = re.compile(r"(?<![\w.\-/<}])/(home|root|work|Users)/[\w.]")
        offenders = []
        for path in self.files:
            for number, line in enumerate((text_of(path) or "").split("\n"), 1):
                if hosts.search(line) or paths.search(line):
                    offenders.append(f"{relative(path)}:{number}: {line.strip()[:100]}")
        self.none(offenders, "these lines name a package host or a path of one machine")

    def test_kinds_of_the_program_are_all_listed(self):
        """A `default` would hide from the compiler that a new kind of instruction, or operator, needs a thought there."""
        kinds = re.compile(r"case (?:\w+::)*(?:InstrKind|ExprOp|ExprShape|RmwOp|RmwShape)::")
        offenders = []
        for path in self.files:
            if path.suffix not in (".cpp", ".h"):
                continue
            text = text_of(path) or ""
            # clang-format: the labels of a switch are two columns to the right of it.
            for match in re.finditer(r"^( *)switch \((?=(.*?)^\1\})", text, re.MULTILINE | re.DOTALL):
                labels = re.findall(rf"^{match[1]}  ((?:case|default)\b.*)", match[2], re.MULTILINE)
                if any(map(kinds.match, labels)) and any(label.startswith("default") for label in labels):
                    offenders.append(f"{relative(path)}:{text.count(chr(10), 0, match.start()) + 1}")
        self.none(offenders, "these list some kinds and have a default for the others")

    def test_shell_scripts_parse(self):
        offenders = []
        for path in filter(is_shell, self.files):
            result = subprocess.run(["bash", "-n", str(path)], capture_output=True, text=True, check=False)
            if result.returncode != 0:
                offenders.append(f"{relative(path)}: {result.stderr.strip()}")
        self.none(offenders, "bash cannot read")

    def test_scripts_are_executable(self):
        offenders = [
            relative(p) for p in self.files if first_line(p).startswith("#!") and not p.stat().st_mode & 0o100
        ]
        self.none(offenders, "these start with #! but are not executable")

    def test_markdown_links_lead_somewhere(self):
        offenders = []
        for path in self.files:
            if path.suffix != ".md":
                continue
            for target in re.findall(r"\]\(([^)\s]+)\)", without_code(text_of(path) or "")):
                if re.match(r"[a-z]+:", target):
                    continue
                name, _, anchor = target.partition("#")
                goal = (path.parent / name) if name else path
                if not goal.exists():
                    offenders.append(f"{relative(path)}: {target}")
                elif anchor and goal.suffix == ".md":
                    headings = re.findall(r"^#+ +(.*)$", text_of(goal) or "", re.MULTILINE)
                    if anchor not in map(slug, headings):
                        offenders.append(f"{relative(path)}: {target} (no such heading)")
        self.none(offenders, "these links lead nowhere")

    def test_files_named_in_documents_exist(self):
        """`src/env/options.h` in a document must be there: recipes that name files which are gone are worse than none."""
        tops = {p.name for p in ROOT.iterdir() if p.is_dir() and not p.name.startswith(("build", "."))}
        offenders = []
        for path in self.files:
            if path.suffix != ".md":
                continue
            for name in re.findall(r"`((?:[\w.\-]+/)+[\w.\-]*)`", text_of(path) or ""):
                top = name.split("/")[0]
                if top in tops and "NAME" not in name and not (ROOT / name).exists():
                    offenders.append(f"{relative(path)}: `{name}`")
        self.none(offenders, "these documents name files that do not exist")


if __name__ == "__main__":
    unittest.main()
