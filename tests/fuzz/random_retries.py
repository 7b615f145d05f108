#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-3.0-or-later
"""Random C programs with loops that retry: unrolled, they allow no more than with their loops.

    random_retries.py PROGRAM [--count N] [--seed N] [--keep FOLDER] [--model M,...] [--engine E] [--plant NAME]

Two or three threads with atomic accesses of all orders and dependencies between them. Some retry a read-modify-write
until it returns a certain value or another variable is set, or load again what the addresses in the loop depend on; their
iterations may count, store to local variables in memory, or change what others see. An assertion says that one outcome does not happen. What is violated with the loops
unrolled (three iterations, then it is assumed that they end) must not be verified with the loops, on any model: the
iterations that an engine leaves out of executions leave nothing behind. The sat engine verifies both, or another one the
loops (`--engine executions`); on sc, tso and pso the explicit engine verifies the loops, too, and must agree.
A planted bug must be found, with exit status 1: `--plant every` takes every iteration but the last to leave nothing
behind, `--plant exchanges` those in which an exchange changes the value.
"""

import random
import sys

import related_programs

MODELS = ["sc", "tso", "pso", "armv8", "power", "riscv", "rc11", "rmo"]
MACHINES = ["sc", "tso", "pso"]
ORDERS = {"ld": ["relaxed", "relaxed", "acquire", "seq_cst"], "st": ["relaxed", "relaxed", "release", "seq_cst"],
          "rmw": ["relaxed", "acquire", "acquire", "release", "acq_rel", "seq_cst"]}
HEAD = """#include <assert.h>
#include <fenceline.h>
#include <pthread.h>
#include <stdatomic.h>
#define ld(v, o) atomic_load_explicit(&v, memory_order_##o)
#define st(v, e, o) atomic_store_explicit(&v, e, memory_order_##o)
#define xchg(v, e, o) atomic_exchange_explicit(&v, e, memory_order_##o)
#define add(v, e, o) atomic_fetch_add_explicit(&v, e, memory_order_##o)
#define or(v, e, o) atomic_fetch_or_explicit(&v, e, memory_order_##o)
static int cas_(atomic_int* v, int from, int to) { atomic_compare_exchange_strong_explicit(v, &from, to,
  memory_order_acquire, memory_order_relaxed); return from; }
#define cas(v, from, to, o) cas_(&v, from, to)
int out[3][3];
"""


def order(rng, kind):
    return rng.choice(ORDERS[kind])


def line(rng):
    variable, register = rng.choice("xyz"), rng.choice("abc")
    return rng.choice([
        f"st({variable}, {rng.choice([1, 1, 2, 'a', 'b', 'c'])}, {order(rng, 'st')});",
        f"st({variable}, {rng.choice([0, 1, 1, 'a'])}, {order(rng, 'st')});",
        f"{register} = ld({variable}, {order(rng, 'ld')});", f"{register} = ld({variable}, {order(rng, 'ld')});",
        f"{register} = xchg({variable}, {rng.choice([0, 1, 2])}, {order(rng, 'rmw')});",
        f"if ({register} == 1) st({variable}, 1, {order(rng, 'st')});",
        f"atomic_thread_fence(memory_order_{rng.choice(['acquire', 'release', 'seq_cst'])});"])


def retry(rng):
    variable, how = rng.choice("xxy"), order(rng, "rmw")
    tries = rng.choice([f"xchg({variable}, 1, {how})"] * 3 + [f"xchg({variable}, 2, {how})", f"or({variable}, 1, {how})",
                       f"add({variable}, 0, {how})", f"cas({variable}, 0, 1, {how})", f"cas({variable}, 1, 1, {how})"])
    stop = rng.choice([0, 0, 0, 1, 2])
    other = rng.choice([None, None, rng.choice("xyz")])
    body = " ".join(rng.choice(["", "", "n = n + 1;", "n = 1 - n;", "m = n;", "m = m + 1;", "for (m = 0; m < 2; m++) ;",
                                f"st({rng.choice('xyz')}, 1, relaxed);", f"{rng.choice('abc')} = m;",
                                f"{rng.choice('abc')} = ld({rng.choice('xyz')}, {order(rng, 'ld')});",
                                "if (w == 2) c = 1;", "a = 1;", "b = w;", "c = n;", f"{rng.choice('abc')} = xchg({rng.choice('xyz')}, 1, acquire);"]) for _ in range(rng.choice([0, 1, 1, 2])))
    before = rng.random() < 0.3 and other is None
    return ("retry", tries, stop, other and f"ld({other}, {order(rng, 'ld')})", body, before)


def retry_text(loop, iterations):
    _, tries, stop, other, body, before = loop
    again = f"w != {stop}" + (f" && k == 0" if other else "")
    once = f"w = {tries}; " + (f"k = {other}; " if other else "")
    if before:
        once, body = "", f"{body} w = {tries};"
        first = f"w = {tries}; "
        if iterations is None:
            return f"{first}while ({again}) {{ {body} }}"
        text = f"fl_assume(!({again}));"
        for _ in range(iterations):
            text = f"if ({again}) {{ {body} {text} }}"
        return first + text
    if iterations is None:
        return f"for (;;) {{ {once}if (!({again})) break; {body} }}"
    text = f"{once}fl_assume(!({again}));"
    for _ in range(iterations):
        text = f"{once}if ({again}) {{ {body} {text} }}"
    return text


def reload(rng):
    """A loop that loads again, at its end, what the addresses in it depend on."""
    cell = f"ld(cells[p{rng.choice(['', '', ' & 1'])}], {order(rng, 'ld')})"
    body = rng.choice(["", "", "b = k;", "n = n + 1;", f"c = ld({rng.choice('xyz')}, {order(rng, 'ld')});", "m = n;"])
    first, again = order(rng, "ld"), order(rng, "ld")
    return ("reload", f"p = ld(z, {first});", f"k = {cell};", f"k == {rng.choice([0, 0, 1])}", f"{body} p = ld(z, {again});")


def reload_text(loop, iterations):
    _, first, once, again, body = loop
    if iterations is None:
        return f"{first} for (;;) {{ {once} if (!({again})) break; {body} }}"
    text = f"{once} fl_assume(!({again}));"
    for _ in range(iterations):
        text = f"{once} if ({again}) {{ {body} {text} }}"
    return f"{first} {text}"


def with_reload(rng):
    """What follows depends on the address, on what was loaded there, or on nothing."""
    threads = [[rng.choice(["st(cells[0], 1, {});", "st(cells[1], 1, {});", "st(z, 1, {});", "st(x, 1, {});", "a = ld(y, {});"])
                .replace("{}", "relaxed" if rng.random() < 0.6 else "seq_cst") for _ in range(rng.randint(2, 4))],
               [reload(rng)] + rng.sample([f"st(y, {rng.choice(['p', 'k', '1', 'p + 1 - p'])}, {order(rng, 'st')});",
                                           f"a = ld({rng.choice(['x', 'cells[p]', 'cells[1 - p]'])}, {order(rng, 'ld')});",
                                           "b = p;", "b = k;"], rng.randint(1, 3))]
    if rng.random() < 0.4:
        threads.append([f"b = ld(y, {order(rng, 'ld')});", f"st(x, b, {order(rng, 'st')});", "c = ld(z, relaxed);"])
    facts = [f"out[{rng.randrange(len(threads))}][{rng.randrange(3)}] == {rng.choice([0, 1, 1])}" for _ in range(rng.choice([1, 2]))]
    return threads, " && ".join(facts), [0, 0, rng.choice([0, 0, 1])]


def late_first_load(rng):
    """What the loop loads again depended on an earlier load at first, and does not any more."""
    publish = rng.choice([["st(cells[0], 1, relaxed);", "atomic_thread_fence(memory_order_seq_cst);", "st(x, 1, relaxed);"],
                          ["st(cells[0], 1, relaxed);", "st(x, 1, release);"]])
    again = rng.choice(["p = ld(z, relaxed);"] * 3 + ["p = ld(zero[b], relaxed);", "p = ld(zero[a], relaxed);", "p = ld(z, acquire);"])
    waits = ("reload", f"p = ld({rng.choice(['zero[a]', 'zero[a]', 'z'])}, relaxed);", f"k = ld(y, {order(rng, 'ld')});", "k == 0", again)
    use = rng.choice(["c = ld(cells[p], relaxed);"] * 3 + ["c = ld(cells[0], relaxed);", "c = ld(cells[k - 1], relaxed);"])
    return [publish, [f"a = ld(x, {rng.choice(['relaxed', 'relaxed', 'acquire'])});", waits, use], ["st(y, 1, relaxed);"]], \
        "out[1][0] == 1 && out[1][2] == 0", [0, 0, 0]


def forwarded(rng):
    """A thread that reads its own exchange, which may have read what depends on that."""
    how, last = order(rng, "rmw"), rng.choice(["b = ld(x, relaxed); st(y, b, relaxed);", "b = ld(x, acquire); st(y, b, relaxed);",
                                               "b = xchg(x, 1, relaxed); st(y, b, relaxed);"])
    threads = [["a = ld(y, relaxed);", rng.choice(["if (a == 1) st(x, 1, relaxed);", "st(x, a, relaxed);", "st(x, 1, release);"])],
               [("until", f"ld(z, {order(rng, 'ld')})", f"w = {rng.choice(['xchg(x, 1', 'or(x, 1'])}, {how}); c = c + 1 - w;"), last],
               ["st(z, 1, relaxed);"]]
    return threads, "out[0][0] == 1 && out[1][2] == 0", [0, 0, 0]


def until_text(loop, iterations):
    _, ends, body = loop
    if iterations is None:
        return f"while ({ends} == 0) {{ {body} }}"
    text = f"fl_assume({ends} != 0);"
    for _ in range(iterations):
        text = f"if ({ends} == 0) {{ {body} {text} }}"
    return text


def random_program(rng):
    kind = rng.random()
    if kind < 0.35:
        return forwarded(rng) if kind < 0.1 else late_first_load(rng) if kind < 0.2 else with_reload(rng)
    threads = [[line(rng) for _ in range(rng.randint(2, 3))]]
    for _ in range(rng.choice([1, 1, 1, 2])):
        thread = [retry(rng)] + [line(rng)]
        for _ in range(rng.randint(0, 2)):
            thread.insert(rng.randint(0, len(thread)), line(rng))
        threads.append(thread)
    if rng.random() < 0.4:  # what is read behind the loop causes what was read before it
        shape = rng.choice(["rlx", "dep"])
        threads[0] = [f"a = ld(y, relaxed);", f"st(x, {'a' if shape == 'dep' else 1}, {order(rng, 'st')});"]
        threads[1] += [f"b = ld(x, {order(rng, 'ld')});", f"st(y, b, {order(rng, 'st')});"]
    facts = [f"out[{rng.randrange(len(threads))}][{rng.randrange(3)}] == {rng.choice([0, 1, 1, 2])}"
             for _ in range(rng.choice([1, 1, 2]))]
    facts += [f"{rng.choice('xyz')} == {rng.randint(0, 2)}"] * rng.randint(0, 1)
    return threads, " && ".join(facts), [rng.choice([0, 1, 1]), rng.choice([0, 0, 1]), 0]


def text_of(program, iterations=None, only=None):
    threads, facts, initial = program
    shapes = {"until": until_text, "retry": retry_text, "reload": reload_text}
    text = HEAD + "atomic_int cells[2], zero[2];\n" + "".join(f"atomic_int {name} = {value};\n" for name, value in zip("xyz", initial))
    for number, body in enumerate(threads):
        lines = [one if isinstance(one, str) else shapes[one[0]](
                     one, iterations if only is None or only in str(one) else None) for one in body]
        text += (f"static void* P{number}(void* unused) {{ int a = 0, b = 0, c = 0, w = 0, k = 0, n = 0, p = 0; "
                 "volatile int m = 0; (void)k, (void)n, (void)w, (void)p;\n  " + "\n  ".join(lines) +
                 f"\n  out[{number}][0] = a; out[{number}][1] = b; out[{number}][2] = c;\n  return unused;\n}}\n")
    count = len(threads)
    text += f"int main(void) {{\n  pthread_t t[{count}];\n"
    text += "".join(f"  pthread_create(&t[{i}], 0, P{i}, 0);\n" for i in range(count))
    text += "".join(f"  pthread_join(t[{i}], 0);\n" for i in range(count))
    return text + f"  assert(!({facts}));\n  return 0;\n}}\n"


def check(options, paths, engine, models):
    bound = ["--bound", "3"] if engine == "sat" else []
    return related_programs.verdicts(
        options.program, paths, ["--engine", engine, "--model", ",".join(models), "--timeout", "2", *bound])


def compare(options, folder, seeds):
    models = options.model.split(",")
    machines = [model for model in MACHINES if model in models]
    plain, unrolled = {}, {}
    for seed in seeds:
        program = random_program(random.Random(seed))
        plain[seed], unrolled[seed] = folder / f"retry_{seed}.c", folder / f"retry_unrolled_{seed}.c"
        planted = {"every": (0, None), "exchanges": (0, "xchg")}.get(options.plant, (None, None))
        plain[seed].write_text(text_of(program, *planted))
        unrolled[seed].write_text(text_of(program, 3))
    found = check(options, unrolled.values(), "sat", models) | check(options, plain.values(), options.engine, models)
    exact = check(options, plain.values(), "explicit", machines) if machines else {}
    for seed, path in plain.items():
        wrong, answers = [], []
        for model in models:
            mine = found[str(path), model]
            answers.append(f"{model} {mine}")
            if found[str(unrolled[seed]), model] == "violated" and mine == "verified":
                wrong.append(f"{model} allows more with loops unrolled ({unrolled[seed]})")
            other = exact.get((str(path), model), "unknown")
            if "unknown" not in (mine, other) and mine != other:
                wrong.append(f"{model}: {options.engine} {mine}, explicit {other}")
        yield [path, unrolled[seed]], wrong, answers


def main():
    arguments = related_programs.arguments(100)
    arguments.add_argument("--model", default=",".join(MODELS))
    arguments.add_argument("--engine", default="sat", help="for the loops")
    arguments.add_argument("--plant", choices=["every", "exchanges"])
    return related_programs.run(arguments.parse_args(), compare)


if __name__ == "__main__":
    sys.exit(main())
