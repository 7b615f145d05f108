#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-3.0-or-later
"""Transactional memories that were damaged: the reductions of the queue engine change nothing about the answer.

    fuzz_stm.py PROGRAM [--count N] [--seed N] [--keep FOLDER]

Takes the memories of the corpus, deletes, repeats or exchanges statements, or puts another number or comparison into
one, and verifies it with --check-reduction: the engine then compares the representative states with all states, and
the verdict with that of a search that does nothing to be fast. A difference is a bug, and so its exit status. Sometimes
one thread is made to do something of its own, so that threads are not alike. The same seed always makes the same
programs. Those that fail are kept in FOLDER.
"""

import pathlib
import random
import re
import subprocess
import sys

import many_cases

CORPUS = pathlib.Path(__file__).resolve().parent.parent.parent / "corpus/stm"
PATIENCE = 3600  # s: a slow machine is no failure
ANSWERS = {0: "verified", 1: "violated", 2: "unknown", 65: "rejected"}
STATEMENT = re.compile(r"\s*(\d\d:)?\s*[^/{}]*;")


def mutate(rng, text):
    lines = text.splitlines(keepends=True)
    begin = next(i for i, line in enumerate(lines) if "{" in line and "(" not in line and "struct" not in line
                 and "transaction" not in line)
    for _ in range(rng.choice([0, 1, 1, 2])):
        solid = [i for i in range(begin, len(lines)) if STATEMENT.match(lines[i]) and "property" not in lines[i]]
        at, to = rng.choice(solid), rng.choice(solid)
        what = rng.randrange(5)
        if what == 0:
            lines[at] = "\n"
        elif what == 1:
            lines[at] += re.sub(r"\d\d:", "", lines[at])
        elif what == 2:
            lines[at], lines[to] = lines[to], lines[at]
        elif what == 3:
            lines[at] = re.sub(r"\b[01]\b", rng.choice(["0", "1", "2"]), lines[at], count=1)
        else:
            lines[at] = re.sub(r"==|!=", rng.choice(["==", "!="]), lines[at], count=1)
    if rng.random() < 0.2:
        at = rng.choice([i for i in range(begin, len(lines)) if STATEMENT.match(lines[i])
                         and "property" not in lines[i]])
        lines[at] = "if (self == 1) " + re.sub(r"\d\d:", "", lines[at])
    return "".join(lines)


def case(program, seed, folder):
    rng = random.Random(seed)
    name = rng.choice(["mcrt", "mcrt", "mcrt-fenced", "tml", "tml", "tl2", "dstm", "mcrt-printed"])
    path = folder / f"{seed}.fl"
    path.write_text(mutate(rng, (CORPUS / f"{name}.fl").read_text()))
    small = name in ("mcrt", "mcrt-fenced", "tml")
    model = rng.choice(["sc", "tso", "pso", "rmo-ctrl"])
    threads = "3" if small and model == "sc" and rng.random() < 0.3 else "2"
    command = [program, "check", str(path), "--model", model, "--property", rng.choice(["opaque", "serial"]),
               "--threads", threads, "--variables", "1", "--check-reduction", "--timeout", "10", "--memory", "1000",
               "--verbose"]
    try:
        result = subprocess.run(command, capture_output=True, text=True, errors="replace", stdin=subprocess.DEVNULL,
                                timeout=PATIENCE)
    except subprocess.TimeoutExpired:
        return f"no answer in {PATIENCE} s: {' '.join(command)}", []
    if result.returncode not in ANSWERS:
        return f"exit status {result.returncode}: {' '.join(command)}\n{result.stderr[:1000]}", []
    path.unlink()
    compared = re.search(r"searches_compared: (\d)", result.stdout)
    return None, [ANSWERS[result.returncode]] + ([f"compared with {compared[1]} other searches"] if compared else [])


ANSWERED, FAILURES = many_cases.run(case, 20)
# Many that are rejected would be a test of the parser. Searches that reach a limit are not compared; how many do depends
# on the machine, so that one that was compared has to be enough.
OPTIONS_TO_CHECK = sum(ANSWERED[answer] for answer in ANSWERS.values())
sys.exit(1 if FAILURES or 2 * ANSWERED[ANSWERS[65]] > OPTIONS_TO_CHECK or not ANSWERED["compared with 3 other searches"] else 0)
