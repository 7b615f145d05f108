#!/usr/bin/python3
# SPDX-License-Identifier: GPL-3.0-or-later
"""Vacuous proofs are reported: on every engine, as text and as JSON. C programs are in corpus/c/vacuous.c.

    test_vacuous.py PROGRAM
"""

import json
import pathlib
import subprocess
import sys
import tempfile

HERE = pathlib.Path(__file__).parent
ENGINES = ["explicit", "coherence", "automata", "numeric", "sat", "queue"]
LOCK = "atomic { r = lock; assume(r == 0); lock = 1; } "
OPEN = "int r; " + LOCK
MODELS = {"explicit": "tso", "coherence": "tso", "automata": "tso", "numeric": "tso", "sat": "tso", "queue": "rmo"}

# name, text, property, what is vacuous: the end, lines of assertions, threads that are stuck with lines and how
CASES = [
    (
        "lock that is not given back",
        f"shared int lock, n;\nthread P {{ {OPEN} n = 1;\n assert(n == 1); }}\nthread Q {{ {OPEN} n = 1;\n assert(n == 1); }}\n",
        "errors",
        True,
        [],
        {"waits"},
    ),
    (
        "lock that is given back",
        f"shared int lock, n;\nthread P {{ {OPEN} n = 1; fence; lock = 0; }}\nthread Q {{ {OPEN} n = 1;\n assert(n == 1); }}\n",
        "errors",
        False,
        [],
        set(),
    ),
    (
        "await that never ends",
        "shared int x;\nthread P { x = 1; }\nthread Q { await(x == 2);\n assert(x == 3); }\n",
        "errors",
        True,
        [4],
        {"waits"},
    ),
    (
        "assumption that does not hold",
        "shared int x;\nthread P { x = 1; }\nthread Q { assume(x == 2); }\nproperty p: finally (x == 7);\n",
        "p",
        True,
        [],
        {"assumption"},
    ),
    (
        "property of states in a program that ends",
        "shared int x;\nthread P { x = 1; }\nthread Q { await(x == 1); }\nproperty p: never (x == 7);\n",
        "p",
        False,
        [],
        set(),
    ),
    (
        "property of states in a program that does not",
        "shared int x;\nthread P { x = 1; }\nthread Q { await(x == 2); }\nproperty p: never (x == 7);\n",
        "p",
        True,
        [],
        {"waits"},
    ),
    (
        "threads that go on for ever by design",
        "shared int x;\nthread P { while (true) { x = 1; x = 0; } }\n"
        "thread Q { int r; while (true) { r = x; assert(r == 0 || r == 1); } }\n",
        "errors",
        False,
        [],
        set(),
    ),
    (
        "spinning for ever",
        "shared int x;\nthread P { x = 1; }\nthread Q { int r; while (r != 2) r = x; }\nproperty p: finally (x == 7);\n",
        "p",
        True,
        [],
        {"runs"},
    ),
    (
        "assertion that is not reached",
        "shared int x;\nthread P { x = 1; }\nthread Q { int r; r = x; if (r == 2) {\n assert(r == x); } }\n",
        "errors",
        False,
        [4],
        set(),
    ),
    (
        "place that must not be reached",
        "shared int x;\nthread P { x = 1; }\nthread Q { int r; r = x; if (r == 2) {\n assert(0); } }\n",
        "errors",
        False,
        [],
        set(),
    ),
    (
        "assertion that only some executions reach",
        "shared int x;\nthread P { x = 1; }\nthread Q { int r; r = x; if (r == 1) {\n assert(r == 1); } }\n",
        "errors",
        False,
        [],
        set(),
    ),
]


def check(program, path, engine, name):
    words = [program, "check", str(path), "--engine", engine, "--model", MODELS[engine], "--property", name]
    result = subprocess.run([*words, "--json", "-"], capture_output=True, text=True)
    if result.returncode not in (0, 1, 2):
        return None, result.stderr
    check = subprocess.run(
        [sys.executable, str(HERE.parent / "cli" / "validate_json.py"), str(HERE.parents[1] / "docs/result.schema.json"), "-"],
        input=result.stdout,
        capture_output=True,
        text=True,
    )
    if check.returncode != 0:
        return None, check.stderr
    answers = [a for a in json.loads(result.stdout)["results"] if a["property"] == name]
    text = subprocess.run([*words, "--quiet"], capture_output=True, text=True).stdout
    return (answers[0], [line for line in text.splitlines() if f": {name}: " in line][0]), ""


def main():
    program = sys.argv[1]
    failures = proofs = 0
    for title, text, name, end, lines, how in CASES:
        decided = 0
        for engine in ENGINES:
            if engine == "queue" and "while" in text:  # it guesses without end
                continue
            with tempfile.TemporaryDirectory() as folder:
                path = pathlib.Path(folder) / "program.fl"
                path.write_text(text)
                answer, trouble = check(program, path, engine, name)
            if answer is None:
                print(f"FAIL {title}, {engine}: {trouble}")
                failures += 1
                continue
            result, line = answer
            if result["verdict"] == "unknown":  # not all engines take all programs
                continue
            decided += 1
            vacuous = result["vacuous"]
            wanted = end or bool(lines)
            good = result["verdict"] == "verified" and bool(vacuous) == wanted and ("(vacuous)" in line) == wanted
            if vacuous:
                good = good and vacuous["no_execution_ends"] == end
                good = good and [a["line"] for a in vacuous["unreached_assertions"]] == lines
                good = good and {one["how"] for one in vacuous["stuck"]} == how
            if not good:
                print(f"FAIL {title}, {engine}: {result['verdict']}, {vacuous}, {line}")
                failures += 1
        proofs += decided
        if decided < 2:
            print(f"FAIL {title}: only {decided} engines decide")
            failures += 1
    print(f"{proofs} proofs, {failures} not as expected")
    return 1 if failures else 0


if __name__ == "__main__":
    sys.exit(main())
