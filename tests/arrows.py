#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-3.0-or-later
"""Fails when an #include goes against the arrows between the folders of src/.

The table below is the whole architecture: what a folder may include. A name that ends in .h stands for that one
header, any other for a folder. A folder may always include itself. The map in docs/architecture.md tells why.

It also refuses includes that would slip past the table: "../" paths, names that exist nowhere, and project
headers in angle brackets. tests/ and bench/ may include anything, but the last three rules hold there too.

    arrows.py [ROOT]
"""

import pathlib
import re
import sys

LOWEST = ["base", "env"]
MACHINE = LOWEST + ["ir", "model", "automata", "domain", "semantics"]

MAY_INCLUDE = {
    "base": [],
    "env": ["base"],
    "ir": LOWEST,
    "frontend": LOWEST + ["ir"],
    "model": LOWEST,
    "semantics": LOWEST + ["ir", "model", "domain", "automata"],
    "property": MACHINE,
    "domain": LOWEST + ["automata"],
    "automata": LOWEST,
    "sat": LOWEST + ["model"],
    "witness": LOWEST + ["ir", "model", "property", "domain", "sat", "automata/automaton.h"],
    "engine": MACHINE + ["property", "sat", "witness"],
    "synth": LOWEST + ["ir", "witness", "engine/engine.h", "engine/labelled_graph.h"],
    "report": LOWEST + ["ir", "witness", "engine/engine.h", "engine/outcomes.h"],
    "app": MACHINE
    + ["frontend", "property", "sat", "witness", "engine", "synth", "report"],
}

# Subfolders that must not know each other, although the folder as a whole may include itself.
STRANGERS = ["engine"]

# Stricter than the table: not even through other headers. What re-checks an answer shares nothing with what found it.
NEVER_REACHES = {"witness": ["semantics", "engine"]}

INCLUDE = re.compile(r'^[ \t]*#[ \t]*include[ \t]*(["<])([^">]+)[">]', re.MULTILINE)


def includes(path):
    """(line number, bracket, name) of each #include in the file."""
    text = path.read_text(encoding="utf-8", errors="replace")
    for match in INCLUDE.finditer(text):
        yield text.count("\n", 0, match.start()) + 1, match.group(1), match.group(2)


def cpp_files(folder):
    return sorted(p for p in folder.rglob("*") if p.suffix in (".h", ".cpp") and p.is_file())


def strangers(includer, name):
    """Do both lie in different subfolders of a folder whose subfolders must not know each other?"""
    here, there = includer.parts, pathlib.PurePosixPath(name).parts
    return (
        here[0] in STRANGERS
        and here[0] == there[0]
        and len(here) > 2
        and len(there) > 2
        and here[1] != there[1]
    )


def check_src(src):
    """The complaints about src/, and the graph of includes: file -> [(line, included file)]."""
    complaints, graph = [], {}
    for path in cpp_files(src):
        file = pathlib.PurePosixPath(path.relative_to(src).as_posix())
        folder = file.parts[0]
        graph[str(file)] = []

        def complain(line, text):
            complaints.append(f"src/{file}:{line}: {text}")

        if folder not in MAY_INCLUDE:
            complain(1, f"the folder {folder}/ is not in the table of {pathlib.Path(__file__).name}")
            continue
        allowed = MAY_INCLUDE[folder] + [folder]
        for line, bracket, name in includes(path):
            if ".." in pathlib.PurePosixPath(name).parts:
                complain(line, f'"{name}": write the path from src/')
                continue
            exists = (src / name).is_file()
            if bracket == "<":
                if exists:
                    complain(line, f"<{name}> is a header of the project: write it in quotes")
                continue
            if not exists:
                complain(line, f'"{name}" does not exist in src/')
                continue
            graph[str(file)].append((line, name))
            target = name.split("/")[0]
            if target not in allowed and name not in allowed:
                complain(line, f"{folder}/ may not include {name}; it may include {' '.join(allowed)}")
            elif strangers(file, name):
                complain(line, f"{'/'.join(file.parts[:2])}/ and {name} must not know each other")
    return complaints, graph


def check_reach(graph):
    """Complaints about NEVER_REACHES, each with the chain of includes that leads there."""
    complaints = []
    for start in sorted(graph):
        forbidden = NEVER_REACHES.get(start.split("/")[0], [])
        chains, seen = [[start]], {start}
        while forbidden and chains:
            chain = chains.pop(0)
            for _, name in graph.get(chain[-1], []):
                if name in seen:
                    continue
                seen.add(name)
                if name.split("/")[0] in forbidden:
                    complaints.append(f"src/{start}: reaches {name} by way of {' -> '.join(chain + [name])}")
                else:
                    chains.append(chain + [name])
    return complaints


def check_users(root, folder):
    """tests/ and bench/: every quoted include exists, from src/, from the folder itself or beside the file."""
    complaints = []
    for path in cpp_files(root / folder):
        for line, bracket, name in includes(path):
            where = f"{path.relative_to(root).as_posix()}:{line}"
            if ".." in pathlib.PurePosixPath(name).parts:
                complaints.append(f'{where}: "{name}": write the path from src/ or {folder}/')
            elif bracket == "<" and (root / "src" / name).is_file():
                complaints.append(f"{where}: <{name}> is a header of the project: write it in quotes")
            elif bracket == '"' and not any(
                (base / name).is_file() for base in (root / "src", root / folder, path.parent)
            ):
                complaints.append(f'{where}: "{name}" does not exist in src/ or {folder}/')
    return complaints


def main():
    root = pathlib.Path(sys.argv[1] if len(sys.argv) > 1 else pathlib.Path(__file__).parent.parent)
    complaints, graph = check_src(root / "src")
    if not graph:
        print(f"{root / 'src'}: no C++ files there", file=sys.stderr)
        return 1
    complaints += check_reach(graph)
    for folder in ("tests", "bench"):
        complaints += check_users(root, folder)
    for complaint in complaints:
        print(complaint, file=sys.stderr)
    return 1 if complaints else 0


if __name__ == "__main__":
    sys.exit(main())
