#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-3.0-or-later
"""The published tables, made again: docs/benchmarks.md has what the program prints now.

    test_tables.py PROGRAM TABLE

Every row that is printed there is looked for in the table that `fenceline bench TABLE` makes, and must be the same in the
columns that do not depend on the machine: verdicts, numbers of fences, sizes of automata. Times are not compared. A search
that did not end in its time, then or now, is no difference; tables whose rows all end have all the time they need.
"""

import collections
import pathlib
import re
import subprocess
import sys

PAGE = pathlib.Path(__file__).resolve().parent.parent.parent / "docs/benchmarks.md"
ALL_THE_TIME = "20000"  # s for a row

# key: columns that name a row; same: columns that must agree; undecided: those of a row that a limit ended.
# says: expected in what is printed around the table, `never`: not expected.
Table = collections.namedtuple("Table", "key same words undecided says never", defaults=[lambda row: set(), (), ()])
# Of the table `executions`: the rows that the page has, which all models with a machine decide quickly.
QUICK = (
    "test_and_set/2,ttas/2,ttas_exponential/2,ticket/2,twa/2,mcs/2,clh/2,hemlock/2,"
    "rwlock/2,rwlock_bias/2,seqlock/1,lamport/2,szymanski/2,mpmc/1,spsc/2,spsc_slots/10,"
    "chase_lev/1,ms_queue/1,treiber/1,hazard/2,fib/3,last_zero/4,writers/4,readers/4,"
    "cas_rotation/4,cas_counter/2"
)
TABLES = {
    "coherence-verify": Table(
        ["program", "buffers"], ["paper", "ours"], ["--timeout", ALL_THE_TIME], says=[r"\b18 of 18 verdicts are the paper's"]
    ),
    "coherence-infer": Table(
        ["program", "buffers"],
        ["minimum is", "lazy", "graph"],
        ["--timeout", "20"],
        undecided=lambda row: {"graph"} if row["graph"] == "unknown" else set(),
        says=["Where both end they agree"],
    ),
    "coherence-threads": Table(["program", "model", "buffers"], ["minimum is", "fences"], ["--timeout", ALL_THE_TIME]),
    "automata-peterson": Table(
        ["program", "fences", "what"], ["answer"], ["--timeout", ALL_THE_TIME], never=["contradict"]
    ),
    "automata-searches": Table(["program", "search"], [], ["--timeout", "20"], never=["contradict"]),
    "litmus-suite": Table(["threads", "model"], ["tests"], ["--timeout", ALL_THE_TIME]),
    "checkfence": Table(
        ["test"],
        ["verdict", "observations"],
        ["--timeout", ALL_THE_TIME],
        says=[r"\b41 of 41 verdicts are the paper's", r"\b41 of 41 verdicts are equal"],
    ),
    "checkfence-growth": Table(
        [], [], ["--only", "Tpc2,Tpc3,Tpc4,Tpc5,Tpc6,Tpc7", "--timeout", ALL_THE_TIME], says=["All of these tests were decided"]
    ),
    "opacity-spec": Table(["size", "automaton"], ["states"], ["--timeout", ALL_THE_TIME]),
    "opacity-memories": Table(["memory", "model"], ["answer"], ["--timeout", ALL_THE_TIME]),
    "propagation": Table(
        ["model", "program", "search"],
        ["fences", "minimal sets"],
        ["--timeout", "30"],
        undecided=lambda row: {"fences", "minimal sets"} if "no end" in row["s"] else set(),
        says=["The complete searches of a row have the same minimal sets"],
    ),
    "executions": Table(
        ["program", "N", "model"],
        ["verdict"],
        ["--only", QUICK, "--model", "sc,tso", "--timeout", ALL_THE_TIME],
        says=[r"\b52 of 52 were decided"],
        never=["violated"],
    ),
}


def tables_in(text):
    """The tables of a Markdown text: lists of rows, each a dict from column to cell; of equal columns the first counts."""
    for block in re.findall(r"(?:^\|.*\n)+", text, re.MULTILINE):
        header, _, *rows = [[cell.strip() for cell in line.strip().strip("|").split("|")] for line in block.splitlines()]
        yield [dict(reversed(list(zip(header, row)))) for row in rows]


def table_with(text, columns):
    for rows in tables_in(text):
        if rows and all(column in rows[0] for column in columns):
            return rows
    return []


def differences(table, printed, made):
    """What is published and not so, a line for each; how many cells were left open."""
    name_of = lambda row: tuple(row[column] for column in table.key)
    now = {name_of(row): row for row in made}
    wrong, undecided = [], 0
    for row in printed:
        name = " ".join(name_of(row))
        if name_of(row) not in now:
            wrong.append(f"{name}: there is no such row any more")
            continue
        other = now[name_of(row)]
        open_columns = table.undecided(row) | table.undecided(other)
        undecided += bool(open_columns)
        for column in table.same:
            if column not in open_columns and row[column] != other[column]:
                wrong.append(f"{name}: {column} is {other[column] or 'empty'}, and {row[column] or 'empty'} in the page")
    for name in now.keys() - {name_of(row) for row in printed}:
        wrong.append(f"{' '.join(name)}: is not in the page")
    return wrong, undecided


def self_test():
    """The comparison must be able to fail."""
    table = Table(["a"], ["b", "c"], [], undecided=lambda row: {"c"} if row["c"] == "?" else set())
    page = "| a | b | c |\n| - | - | - |\n| x | 1 | 2 |\n| y | 3 | ? |\n"
    rows = table_with(page, ["a", "b"])
    assert differences(table, rows, rows) == ([], 1)
    assert len(differences(table, rows, rows[:1])[0]) == 1 and len(differences(table, rows[:1], rows)[0]) == 1
    assert differences(table, rows, table_with(page.replace("| 1 |", "| 4 |"), ["a"]))[0] == ["x: b is 4, and 1 in the page"]
    assert differences(table, rows, table_with(page.replace("?", "5"), ["a"])) == ([], 1)


def main():
    self_test()
    program, name = sys.argv[1:]
    table = TABLES[name]
    section = re.search(rf"^### {name}: .*?(?=^### |\Z)", PAGE.read_text(encoding="utf-8"), re.MULTILINE | re.DOTALL)
    result = subprocess.run(
        [program, "bench", name, "--markdown", *table.words], stdout=subprocess.PIPE, text=True, check=False
    )
    text = result.stdout
    wrong = [] if result.returncode == 0 else [f"exit status {result.returncode}"]
    wrong += [f"expected: {words}" for words in table.says if not re.search(words, text)]
    wrong += [f"not expected: {words}" for words in table.never if re.search(words, text)]
    printed = table_with(section[0], table.key + table.same) if section and table.key else []
    undecided = 0
    if table.key:
        made = table_with(text, table.key + table.same)
        wrong += [] if printed and made else ["there is no such table in the page, or none was made"]
        more, undecided = differences(table, printed, made)
        wrong += more
    if wrong:
        print(text)
    print("\n".join(wrong + [f"{name}: {len(printed)} rows, {undecided} without an end, {len(wrong)} differences"]))
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
