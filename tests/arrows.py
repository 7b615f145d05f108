#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-3.0-or-later
"""Fails when an #include goes against the arrows between the folders of src/, or code is in another folder's namespace.

The table below is the whole architecture: what a folder may include. A row is about its folder and all folders below it
that have no row of their own; a folder may always include itself. docs/architecture.md says what is in each folder: the
last column of its table must be this one. The libraries of src/CMakeLists.txt must link what the table says, no more.
The second table has the namespaces of each folder; the column before the last must be that one.

It also rejects includes that would slip past the table: "../" paths, names that exist nowhere, and project
headers in angle brackets. tests/ and bench/ may include anything, but the last three rules hold there too.

    arrows.py [ROOT]
"""

import pathlib
import re
import sys

LOWEST = ["base", "env"]
DATA = LOWEST + ["ir", "model", "task"]
MACHINE = DATA + ["automata", "domain", "machine"]
ENGINE = MACHINE + ["transform", "property", "check", "check/replay", "engine"]

MAY_INCLUDE = {
    "base": [],
    "env": ["base"],
    "ir": LOWEST,
    "model": LOWEST,
    "frontend": LOWEST + ["ir", "model"],
    "task": LOWEST + ["ir", "model"],
    "sat": LOWEST + ["model"],
    "automata": LOWEST,
    "domain": DATA + ["automata"],
    "machine": DATA + ["automata", "domain"],
    "transform": MACHINE,
    "property": MACHINE + ["transform"],
    "check": DATA,
    "check/replay": DATA,
    "check/axiomatic": DATA + ["check/replay"],
    "check/statespace": DATA + ["check", "check/replay"],
    "check/linear": DATA,
    "check/numeric": DATA + ["check", "check/replay", "check/linear", "check/statespace"],
    "check/proof": DATA,
    "engine": MACHINE,
    "engine/search": MACHINE + ["property"],
    "engine/cegar": ENGINE + ["engine/search"],
    "engine/explicit": ENGINE + ["engine/search"],
    "engine/queue": ENGINE + ["engine/search"],
    "engine/coherence": ENGINE + ["engine/search", "engine/cegar"],
    "engine/automata": ENGINE + ["engine/search", "engine/cegar"],
    "engine/numeric": ENGINE + ["engine/search", "engine/cegar"],
    "engine/sat": ENGINE + ["sat", "check/axiomatic", "check/proof"],
    "engine/enumeration": ENGINE + ["check/axiomatic"],
    "engine/executions": ENGINE + ["sat", "engine/sat", "check/axiomatic"],
    "engine/robustness": ENGINE + ["engine/search", "engine/sat", "engine/executions"],
    "engine/portfolio": ENGINE
    + ["check/axiomatic"]
    + ["engine/" + name for name in ("explicit", "coherence", "automata", "numeric", "sat", "queue", "enumeration", "executions", "robustness")],
    "engine/outcomes": ENGINE + ["sat", "engine/sat", "engine/enumeration", "engine/executions"],
    "synth": DATA + ["check/replay"],
    "report": DATA + ["check/replay"],
    "reference": ENGINE
    + ["engine/" + name for name in ("search", "cegar", "automata", "numeric")]
    + ["synth"],
}
MAY_INCLUDE["app"] = sorted(MAY_INCLUDE)
MAY_INCLUDE["tables"] = sorted(MAY_INCLUDE)

# Namespaces, below `fenceline`; "" is `fenceline` itself, where the vocabulary of all folders is. A namespace is a
# subject: an engine shares one with what it alone is built on. A unit test is in the namespace of what it tests, or in
# fenceline::testing.
NAMESPACES = {
    "base": [""],
    "env": [""],
    "ir": ["", "ir_text"],
    "model": ["", "cat"],
    "frontend": ["frontend", "frontend::fl", "frontend::litmus", "frontend::c"],
    "task": [""],
    "sat": ["sat"],
    "automata": ["automata"],
    "domain": ["buffer", "numeric"],
    "machine": ["machine", "machine::queue"],
    "engine/coherence": ["coherence"],
    "engine/automata": ["automata"],
    "engine/numeric": ["numeric"],
    "engine/sat": ["sat"],
    "engine/executions": ["executions"],
    "engine/robustness": ["robustness"],
}
NAMESPACES |= {row: [row.split("/")[0]] for row in MAY_INCLUDE if row not in NAMESPACES}

# Stricter than the table: not even through other headers. What re-checks an answer shares nothing with what found it.
NEVER_REACHES = {"check": ["machine", "engine", "automata", "domain", "transform", "property", "sat"]}

NAMESPACE = re.compile(r"^namespace fenceline(?:::([\w:]+))? \{", re.MULTILINE)
INCLUDE = re.compile(r'^[ \t]*#[ \t]*include[ \t]*(["<])([^">]+)[">]', re.MULTILINE)


def includes(path):
    """(line number, bracket, name) of each #include in the file."""
    text = path.read_text(encoding="utf-8", errors="replace")
    for match in INCLUDE.finditer(text):
        yield text.count("\n", 0, match.start()) + 1, match.group(1), match.group(2)


def cpp_files(folder):
    return sorted(p for p in folder.rglob("*") if p.suffix in (".h", ".cpp") and p.is_file())


def row_of(name):
    """The row of the table that this file or folder of src/ belongs to; none if its folder has none."""
    path = pathlib.PurePosixPath(name)
    for folder in [path, *path.parents]:
        if str(folder) in MAY_INCLUDE:
            return str(folder)
    return None


def check_src(src):
    """The complaints about src/, and the graph of includes: file -> [(line, included file)]."""
    complaints, graph = [], {}
    for path in cpp_files(src):
        file = pathlib.PurePosixPath(path.relative_to(src).as_posix())
        row = row_of(file)
        graph[str(file)] = []

        def complain(line, text):
            complaints.append(f"src/{file}:{line}: {text}")

        if row is None:
            complain(1, f"the folder {file.parts[0]}/ is not in the table of {pathlib.Path(__file__).name}")
            continue
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
            if row_of(name) not in MAY_INCLUDE[row] + [row]:
                complain(line, f"{row}/ may not include {name}; it may include {' '.join(MAY_INCLUDE[row])}")
    return complaints, graph


def check_namespaces(src):
    """Complaints about code that is not in a namespace of its folder."""
    complaints = []
    for path in cpp_files(src):
        file = path.relative_to(src).as_posix()
        text = path.read_text(encoding="utf-8", errors="replace")
        for match in NAMESPACE.finditer(text):
            allowed = NAMESPACES.get(row_of(file), [match.group(1) or ""])
            if (match.group(1) or "") not in allowed:
                line = text.count("\n", 0, match.start()) + 1
                complaints.append(f"src/{file}:{line}: the namespace of this folder is {namespaces(allowed)}")
    return complaints


def namespaces(allowed):
    """As the table of docs/architecture.md has them."""
    return ", ".join(f"`{name or 'fenceline'}`" for name in allowed)


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
                    complaints.append(f"src/{start}: reaches {name} through {' -> '.join(chain + [name])}")
                else:
                    chains.append(chain + [name])
    return complaints


def reachable(start, arrows):
    """What can be reached from `start`, itself left out, along arrows: name -> names."""
    found, todo = set(), [start]
    while todo:
        for name in arrows.get(todo.pop(), []):
            if name not in found:
                found.add(name)
                todo.append(name)
    return found - {start}


PART = re.compile(r"^part\((\w+)\s+(\S+)([^)]*)\)", re.MULTILINE)


def check_links(cmake):
    """src/CMakeLists.txt: a library must reach, link by link, what its folder reaches by the table."""
    if not cmake.is_file():
        return []
    links, complaints = {}, []
    for name, _, linked in PART.findall(cmake.read_text(encoding="utf-8")):
        links[name] = re.findall(r"\bfenceline_(\w+)", linked)
    table = {}
    for row, allowed in MAY_INCLUDE.items():
        table.setdefault(row.split("/")[0], set()).update(name.split("/")[0] for name in allowed)
    for folder in sorted(table):
        if folder not in links:
            complaints.append(f"src/CMakeLists.txt: the folder {folder}/ has no part()")
            continue
        by_links, by_table = reachable(folder, links), reachable(folder, table)
        for name in sorted(by_links - by_table):
            complaints.append(f"src/CMakeLists.txt: fenceline_{folder} links fenceline_{name}, which it may not include")
        for name in sorted(by_table - by_links):
            complaints.append(f"src/CMakeLists.txt: fenceline_{folder} does not link fenceline_{name}, which it may include")
    return complaints


DOCS_ROW = re.compile(r"^\| `src/([\w/]+)/` \|.*\| ([^|]*) \| ([^|]*) \|$", re.MULTILINE)


def check_docs(page):
    """docs/architecture.md: the last columns of its table are the namespaces of a folder and what it may include."""
    if not page.is_file():
        return []
    complaints, rows, spaces = [], {}, {}
    for row, space, allowed in DOCS_ROW.findall(page.read_text(encoding="utf-8")):
        rows[row], spaces[row] = allowed, space
    for row, allowed in MAY_INCLUDE.items():
        documented = [] if rows.get(row) == "nothing" else [name.strip("`") for name in rows.get(row, "").split(", ")]
        wanted = "all" if row in ("app", "tables") else allowed
        if row not in rows:
            complaints.append(f"docs/architecture.md: the table has no row for src/{row}/")
        elif documented != (["all"] if wanted == "all" else wanted):
            complaints.append(f"docs/architecture.md: src/{row}/ may include {', '.join(allowed) or 'nothing'}")
        elif spaces[row] != namespaces(NAMESPACES[row]):
            complaints.append(f"docs/architecture.md: the namespace of src/{row}/ is {namespaces(NAMESPACES[row])}")
    for row in rows:
        if row not in MAY_INCLUDE:
            complaints.append(f"docs/architecture.md: there is no folder src/{row}/ in the table of arrows.py")
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
    complaints += check_namespaces(root / "src")
    complaints += check_reach(graph)
    complaints += check_links(root / "src" / "CMakeLists.txt")
    complaints += check_docs(root / "docs" / "architecture.md")
    for folder in ("tests", "bench"):
        complaints += check_users(root, folder)
    for complaint in complaints:
        print(complaint, file=sys.stderr)
    return 1 if complaints else 0


if __name__ == "__main__":
    sys.exit(main())
