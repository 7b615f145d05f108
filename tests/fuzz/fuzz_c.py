#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-3.0-or-later
"""C programs that were damaged: whatever Fenceline's answer, it comes in time and with a message of its own.

    fuzz_c.py PROGRAM [--count N] [--seed N] [--keep FOLDER]

Takes the C files of the corpus and deletes, repeats or swaps lines and tokens, or puts in some of another file. The
exit status must be 0, 1, 2 (an answer), 64, 65 or 66 (a complaint), and after a complaint there must be a position. The
same seed always makes the same programs. Those that fail are kept in FOLDER.
"""

import pathlib
import random
import re
import subprocess
import sys

import many_cases

CORPUS = pathlib.Path(__file__).resolve().parent.parent.parent / "corpus/c"
TIMEOUT, PATIENCE = 2, 1200  # Fenceline's limit, and how long we wait, on however slow a machine
TOKEN = re.compile(r"[A-Za-z_]\w*|\d\w*|\"[^\"\n]*\"|->|[-+*/%&|^=!<>]=|&&|\|\||<<|>>|\+\+|--|//[^\n]*|\s+|.", re.S)
WORDS = ["0", "1", "-1", "&", "*", "(", ")", "{", "}", ";", "int", "long", "char", "float", "struct", "NULL", "return",
         "while (1)", "if (0)", "else", "goto end;", "volatile", "_Atomic", "sizeof", "malloc(8)", "fl_fence(\"full\");",
         "fl_atomic_begin();", "fl_atomic_end();", "fl_assume(0);", "fl_assert(0);", "fl_retry();", "[1]", "+ 1", "<< 40",
         "(char)", "(void *)", "main", "static", "memset(&x, 0, 3);", "__builtin_unreachable();", "asm(\"nop\");"]


def mutate(rng, text, other):
    for _ in range(rng.choice([1, 1, 1, 2, 3])):
        if rng.random() < 0.4:
            parts, more = text.splitlines(keepends=True), other.splitlines(keepends=True)
        else:
            parts, more = TOKEN.findall(text), WORDS + TOKEN.findall(other)[:200]
        # The comment on top is long, and nothing happens in it.
        solid = [i for i, part in enumerate(parts) if part.strip() and not part.lstrip().startswith("//")]
        if not solid:
            return text
        at = rng.choice(solid)
        what = rng.randrange(5)
        if what == 0:
            del parts[at:at + rng.choice([1, 1, 2, 5])]
        elif what == 1:
            parts.insert(at, parts[at] + " ")
        elif what == 2:
            to = rng.choice(solid)
            parts[at], parts[to] = parts[to], parts[at]
        elif what == 3:
            parts.insert(at, " " + rng.choice(more) + " ")
        else:
            parts[at] = " " + rng.choice(more) + " "
        text = "".join(parts)
    return text


def case(program, seed, folder):
    rng = random.Random(seed)
    suites = sorted(CORPUS.glob("*.tests"))
    programs = sorted(path for path in CORPUS.iterdir() if path.suffix in (".c", ".cpp"))
    with_main = [path for path in programs if re.search(r"^int main\(", path.read_text(), re.M)]
    other = rng.choice(programs).read_text()
    home = folder / str(seed)
    home.mkdir()
    words = ["--model", rng.choice(["sc", "tso", "pso", "rc11", "relaxed"]), "--timeout", str(TIMEOUT)]
    if rng.random() < 0.5:
        path = rng.choice(with_main)
        (home / path.name).write_text(mutate(rng, path.read_text(), other))
    else:
        # A data type or its reference is damaged; sometimes the tests are.
        path = rng.choice(suites)
        for one in CORPUS.iterdir():
            if one.suffix in (".c", ".cpp"):
                (home / one.name).write_text(one.read_text())
        text = path.read_text()
        named = re.findall(r'^(?:implementation|reference) "([^"]*)"', text, re.M)
        names = re.findall(r"^test (\w+)", text, re.M)
        if rng.random() < 0.2:
            (home / path.name).write_text(mutate(rng, text, other))
        else:
            (home / path.name).write_text(text)
            victim = home / rng.choice(named)
            victim.write_text(mutate(rng, victim.read_text(), other))
        words += ["--test", names[0]]
    command = [program, "check", *words, str(home / path.name)]
    try:
        result = subprocess.run(command, capture_output=True, text=True, errors="replace", stdin=subprocess.DEVNULL,
                                timeout=PATIENCE)
    except subprocess.TimeoutExpired:
        return f"no answer in {PATIENCE} s: {' '.join(command)}", []
    if result.returncode not in (0, 1, 2, 64, 65, 66):
        return f"exit status {result.returncode}: {' '.join(command)}\n{result.stderr[:1000]}", []
    if result.returncode == 65 and not re.search(r":\d+:\d+: error: ", result.stderr):
        return f"a message without a position: {' '.join(command)}\n{result.stderr[:1000]}", []
    for used in home.iterdir():
        used.unlink()
    return None, []


_, FAILURES = many_cases.run(case, 20)
sys.exit(1 if FAILURES else 0)
