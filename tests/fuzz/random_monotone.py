#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-3.0-or-later
"""Random programs: a stronger model, one more fence, or a loop that is unrolled allows no more outcomes.

    random_monotone.py PROGRAM [--count N] [--seed N] [--keep FOLDER] [--plant]

Each program (.fl) has two or three threads with loads, stores, read-modify-writes, branches, waits and fences, and a
property that one outcome does not happen. All models are checked, each with the program, with the program that has one
more fence, and with the program whose waits are unrolled: at most two iterations, then it is assumed that they end. What
is violated on a model must be violated on every weaker one; what is violated with the fence must be violated without it;
what is violated with waits unrolled must be violated with the loops, although their iterations may leave nothing behind.
A planted bug must be found, with exit status 1: `--plant reversed` reverses the order of models,
`--plant unrolled` claims that the loops have no iterations but the last.
"""

import random
import sys

import related_programs

# Each allows what the one before it allows.
CHAINS = [["sc", "tso", "pso", "rmo", "relaxed"], ["sc", "x86tso"], ["sc", "armv8"], ["sc", "power"], ["sc", "riscv"],
          ["sc", "rc11"]]
MODELS = sorted({model for chain in CHAINS for model in chain})
FENCES = ["fence;", "fence(store-store);", "fence(load-load);", "fence(load-store);", "fence(store-load);"]
# What threads do, and what they see only if an order is lost.
SHAPES = [
    (["x = 1;", "a = y;"], ["y = 1;", "a = x;"], "P0.a == 0 && P1.a == 0"),
    (["x = 1;", "y = 1;"], ["a = y;", "b = x;"], "P1.a == 1 && P1.b == 0"),
    (["a = x;", "y = 1;"], ["a = y;", "x = 1;"], "P0.a == 1 && P1.a == 1"),
    (["x = 1;", "y = 2;"], ["y = 1;", "x = 2;"], "x == 1 && y == 1"),
    (["x = 2;", "y = 1;"], ["a = y;", "x = 1;"], "P1.a == 1 && x == 2"),
    (["x = 1;", "y = 1;"], ["y = 2;", "a = x;"], "y == 2 && P1.a == 0"),
    # A wait in which a value is loaded again, from the same location or another.
    (["a = x;", "b = t[a == 1];", ("wait", "z", "b = t[0];"), "y = b;"], ["a = y;", "x = a;"], "P0.a == 1"),
    (["a = x;", "b = t[a == 1];", ("wait", "z", "b = x;"), "y = b;"], ["a = y;", "x = a;"], "P0.a == 1"),
]


def random_line(rng):
    variable, register = rng.choice("xyz"), rng.choice("abc")
    return rng.choice([
        f"{variable} = {rng.randint(1, 2)};", f"{variable} = {rng.randint(1, 2)};", f"{register} = {variable};",
        f"{register} = {variable};", f"if ({register} == 1) {variable} = 1;", f"{variable} = {register};",
        f"{register} = xchg({variable}, 1);", f"{register} = fetch_add({variable}, 1);",
        f"{register} = cas({variable}, 0, 2);", f"{register} = t[{rng.choice('abc')} == 1];", rng.choice(FENCES),
        ("wait", variable, rng.choice(["", f"{register} = {rng.choice('xyz')};", f"{register} = t[0];",
                                       f"{register} = t[{rng.choice('abc')} == 1];"]))])


def random_retry(rng):
    """A loop that tries something until it succeeds: what it tries, what it is to be, and what happens if it is not."""
    variable, stop = rng.choice("xyz"), rng.choice([0, 0, 1, 2])
    tries = rng.choice([f"xchg({variable}, 1)", f"xchg({variable}, 1)", f"xchg({variable}, 2)", f"fetch_add({variable}, 0)",
                        f"cas({variable}, 0, 1)", f"cas({variable}, 1, 1)", variable])
    if tries.startswith("cas"):
        stop = 1
    body = "".join(rng.choice([
        "", "n = n + 1;", "n = 1 - n;", f"s[{rng.randint(0, 1)}] = {rng.choice('wn1')};", f"s[n] = {rng.choice('wa1')};",
        f"{rng.choice('abc')} = s[{rng.randint(0, 1)}];", "u = 1;", "u = a;", f"{rng.choice('xyz')} = 1;",
        f"{rng.choice('abc')} = {rng.choice('xyz')};", f"{rng.choice('abc')} = xchg({rng.choice('xyz')}, 1);",
        f"if (w == 2) {rng.choice('abc')} = {rng.choice('xyz')};", "fence;", "s[0] = 1; n = s[0];"])
                   for _ in range(rng.choice([0, 1, 1, 2, 3])))
    return ("retry", tries, stop, body, rng.random() < 0.5)


def random_waiting(rng):
    """Threads that wait for each other: one that stores, and one or two that retry."""
    threads = [[rng.choice(["a = xchg(x, 1);", "x = 1;", "x = 2;", "y = 1;", "a = y;"]) for _ in range(rng.randint(1, 2))]
               + [rng.choice(["x = 0;", "x = 0;", "a = xchg(x, 0);", "a = fetch_add(x, 1);", "y = 2;"])]]
    for _ in range(rng.choice([1, 1, 2])):
        thread = [random_retry(rng)]
        for _ in range(rng.randint(1, 2)):
            thread.insert(rng.randint(0, len(thread)), random_line(rng))
        threads.append(thread)
    facts = [f"P{rng.randrange(len(threads))}.{rng.choice('abc')} == {rng.randint(0, 1)}" for _ in range(rng.randint(1, 3))]
    facts += [f"{rng.choice('xyzu')} == {rng.randint(0, 2)}"] * rng.randint(0, 1)
    return threads, " && ".join(facts)


def random_program(rng):
    if rng.random() < 0.5:
        return random_waiting(rng)
    shape = rng.choice(SHAPES) if rng.random() < 0.6 else None
    if shape:
        threads = [list(shape[0]), list(shape[1])]
        for body in threads:
            if rng.random() < 0.3:
                body.insert(rng.randint(0, len(body)), random_line(rng))
        if any(isinstance(line, tuple) for body in threads for line in body):
            threads.append(["z = 1;"])
        return threads, shape[2]
    threads = [[random_line(rng) for _ in range(rng.randint(2, 4))] for _ in range(rng.choice([2, 2, 3]))]
    facts = [f"P{rng.randrange(len(threads))}.{rng.choice('abc')} == {rng.randint(0, 1)}" for _ in range(rng.randint(1, 3))]
    facts += [f"{rng.choice('xyz')} == {rng.randint(0, 2)}"] * rng.randint(0, 1)
    return threads, " && ".join(facts)


def line_of(line, iterations):
    """A wait as a loop, or with so many iterations."""
    if isinstance(line, str):
        return line
    if line[0] == "retry":
        return retry_of(line, iterations)
    _, variable, body = line
    if iterations is None:
        return f"while ({variable} == 0) {{ {body} }}"
    text = "assume (w != 0);"
    for _ in range(iterations):
        text = f"if (w == 0) {{ {body} w = {variable}; {text} }}"
    return f"w = {variable}; {text}"


def retry_of(line, iterations):
    """Tried for the first time before the loop, or in it."""
    _, tries, stop, body, before = line
    if iterations is None and before:
        return f"w = {tries}; while (w != {stop}) {{ {body} w = {tries}; }}"
    if iterations is None:
        return f"while (true) {{ w = {tries}; if (w == {stop}) break; {body} }}"
    text = f"assume (w == {stop});"
    for _ in range(iterations):
        text = f"if (w != {stop}) {{ {body} w = {tries}; {text} }}"
    return f"w = {tries}; {text}"


def text_of(program, iterations=None):
    threads, facts = program
    text = "shared int x = 0, y = 0, z = 0, u = 0, t[2] = {1, 1};\n"
    for number, body in enumerate(threads):
        own = f"s{number}"
        text = text.replace("t[2]", f"{own}[2] = {{0, 0}}, t[2]", 1)
        text += f"thread P{number} {{ int a = 0, b = 0, c = 0, w = 0, n = 0;\n  "
        lines = "\n  ".join(line_of(line, iterations) for line in body)
        text += lines.replace("s[", f"{own}[") + "\n}\n"
    return text + f"property p: finally (!({facts}));\n"


def check(options, paths):
    return related_programs.verdicts(
        options.program, paths, ["--engine", "sat", "--model", ",".join(MODELS), "--timeout", "60", "--bound", "4"], "p")


def compare(options, folder, seeds):
    plain, fenced, unrolled = {}, {}, {}
    for seed in seeds:
        rng = random.Random(seed)
        program = random_program(rng)
        plain[seed], fenced[seed] = folder / f"monotone_{seed}.fl", folder / f"fenced_{seed}.fl"
        unrolled[seed] = folder / f"unrolled_{seed}.fl"
        plain[seed].write_text(text_of(program, 0 if options.plant == "unrolled" else None))
        unrolled[seed].write_text(text_of(program, 2))
        body = rng.choice(program[0])
        body.insert(rng.randint(0, len(body)), rng.choice(FENCES))
        fenced[seed].write_text(text_of(program))
    found = check(options, [*plain.values(), *fenced.values(), *unrolled.values()])
    for seed, path in plain.items():
        wrong, answers = [], []
        for chain in CHAINS:
            for strong, weak in zip(chain, chain[1:]):
                if options.plant == "reversed":
                    strong, weak = weak, strong
                if found[str(path), strong] == "violated" and found[str(path), weak] == "verified":
                    wrong.append(f"{strong} allows what {weak} does not")
        for model in MODELS:
            mine = found[str(path), model]
            answers.append(f"{model} {mine}")
            if found[str(unrolled[seed]), model] == "violated" and mine == "verified":
                wrong.append(f"{model} allows more with waits unrolled ({unrolled[seed]})")
            if options.plant != "unrolled" and found[str(fenced[seed]), model] == "violated" and mine == "verified":
                wrong.append(f"{model} allows more with a fence ({fenced[seed]})")
        yield [path, fenced[seed], unrolled[seed]], wrong, answers


def main():
    arguments = related_programs.arguments(100)
    arguments.add_argument("--plant", choices=["reversed", "unrolled"])
    return related_programs.run(arguments.parse_args(), compare, batch=50)


sys.exit(main())
