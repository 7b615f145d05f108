#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-3.0-or-later
"""Random C programs with loops around weak compare-exchanges: how often they fail without a reason.

    random_weak.py PROGRAM [--count N] [--seed N] [--keep FOLDER] [--model M,...] [--plant none|twice]

Two or three threads; some have a loop that retries a weak compare-exchange: a push, a pop, an increment. Where iterations
leave something behind, FL_SPURIOUS_FAILURES is how often an exchange fails spuriously. The same program is written with
strong exchanges and a choice: it may load instead, and count that as a failure, so many times. Both must have the same
verdict, with 0, 1 and 2 failures, and more of them must not make a violated program verified. A planted bug must be
found, with exit status 1: with `--plant none` the choice is never to fail, with `--plant twice` once more than allowed.
"""

import random
import sys

import related_programs

HEAD = """#include <assert.h>
#include <fenceline.h>
#include <pthread.h>
#include <stdatomic.h>
#define ld(v, o) atomic_load_explicit(&v, memory_order_##o)
#define st(v, e, o) atomic_store_explicit(&v, e, memory_order_##o)
atomic_int x, y, link[4];
int out[3][3];
"""
WEAK = """#define cas(v, e, d, o, f) atomic_compare_exchange_weak_explicit(&v, &e, d, memory_order_##o, memory_order_##f)
"""
CHOICE = """#define cas(v, e, d, o, f) (left > 0 && fl_nondet(0, 1) ? (left--, e = ld(v, f), 0) \\
  : atomic_compare_exchange_strong_explicit(&v, &e, d, memory_order_##o, memory_order_##f))
"""
ORDERS = [("relaxed", "relaxed"), ("release", "relaxed"), ("acquire", "acquire"), ("acq_rel", "acquire")]


def line(rng):
    return rng.choice([f"st(y, {rng.choice([1, 'e', 'n'])}, {rng.choice(['relaxed', 'release'])});",
                       f"a = ld(y, {rng.choice(['relaxed', 'acquire'])});", "st(x, 1, relaxed);", "a = ld(link[1], relaxed);"])


def loop(rng, thread):
    success, failure = rng.choice(ORDERS)
    first = rng.choice(["relaxed", "relaxed", "acquire"])
    count = rng.choice(["", "n++;", "n++;"])
    cas = f"cas(x, e, {{}}, {success}, {failure})"
    return rng.choice([
        f"e = ld(x, {first}); do {{ st(link[{thread}], e, relaxed); {count} }} while (!{cas.format(thread)});",
        f"e = ld(x, {first}); while (e != 0 && !{cas.format('ld(link[e & 3], relaxed)')}) {{ {count} }}",
        f"e = ld(x, {first}); while (!{cas.format('e + 1 & 3')}) {{ {count} a = ld(y, relaxed); }}"])


def random_program(rng):
    threads = []
    for number in range(rng.choice([1, 2, 2])):
        lines = [line(rng) for _ in range(rng.choice([0, 1, 1]))]
        lines.insert(rng.randint(0, len(lines)), loop(rng, number + 1))
        threads.append(lines)
    if len(threads) < 2 or rng.random() < 0.3:
        threads.append([line(rng) for _ in range(2)])
    facts = [f"out[{rng.randrange(len(threads))}][{rng.choice([0, 1, 1, 2])}] == {rng.choice([0, 1, 1, 2])}"
             for _ in range(rng.choice([1, 2]))]
    return threads, " && ".join(facts)


def text_of(program, chosen):
    """`chosen`: how often a choice is to fail; None: the exchanges are weak."""
    threads, facts = program
    text = HEAD + (WEAK if chosen is None else CHOICE)
    for number, lines in enumerate(threads):
        text += (f"static void* P{number}(void* unused) {{ int a = 0, e = 0, n = 0, left = {chosen or 0}; (void)left;\n  "
                 + "\n  ".join(lines) + f"\n  out[{number}][0] = a; out[{number}][1] = n; out[{number}][2] = e;\n"
                 "  return unused;\n}\n")
    count = len(threads)
    text += f"int main(void) {{\n  pthread_t t[{count}];\n"
    text += "".join(f"  pthread_create(&t[{i}], 0, P{i}, 0);\n" for i in range(count))
    text += "".join(f"  pthread_join(t[{i}], 0);\n" for i in range(count))
    return text + f"  assert(!({facts}));\n  return 0;\n}}\n"


def check(options, paths, failures):
    limit = [] if failures is None else ["-D", f"FL_SPURIOUS_FAILURES={failures}"]
    return related_programs.verdicts(options.program, paths, ["--model", options.model, "--timeout", "3", *limit])


def compare(options, folder, seeds):
    weak, chosen, found = {}, {}, {}
    for seed in seeds:
        program = random_program(random.Random(seed))
        weak[seed] = folder / f"weak_{seed}.c"
        weak[seed].write_text(text_of(program, None))
        for most in range(3):
            chosen[seed, most] = folder / f"weak_{seed}_{most}.c"
            shown = {"none": 0, "twice": most + 1}.get(options.plant, most)
            chosen[seed, most].write_text(text_of(program, shown))
    for most in range(3):
        for (path, model), verdict in check(options, weak.values(), most).items():
            found[path, model, most] = verdict
    by_choice = check(options, chosen.values(), None)
    for seed, path in weak.items():
        wrong, answers = [], []
        for model in options.model.split(","):
            mine = [found[str(path), model, most] for most in range(3)]
            for most in range(3):
                other = by_choice[str(chosen[seed, most]), model]
                answers.append(f"{model} {mine[most]}")
                if "unknown" not in (mine[most], other) and mine[most] != other:
                    wrong.append(f"{model}, {most} failures: weak {mine[most]}, by choice {other}")
                if "violated" in mine[:most] and mine[most] == "verified":
                    wrong.append(f"{model}: verified with {most} failures, and violated with fewer")
        yield [path, *(chosen[seed, most] for most in range(3))], wrong, answers


def main():
    arguments = related_programs.arguments(50)
    arguments.add_argument("--model", default="armv8,riscv,rc11")
    arguments.add_argument("--plant", choices=["none", "twice"])
    return related_programs.run(arguments.parse_args(), compare)


if __name__ == "__main__":
    sys.exit(main())
