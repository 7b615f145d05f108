#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-3.0-or-later
"""Random C programs with atomics: engines that finish must agree, and weaker models must allow what stronger ones do.

    random_c.py PROGRAM [--count N] [--seed N] [--keep FOLDER]

Two threads load, store, exchange, add and compare-and-swap two or three atomic variables in all memory orders, with
fences; what they saw goes to plain variables, and main, after joining them, asserts that one particular outcome did not
happen. The same seed always makes the same programs. Those that fail are kept in FOLDER.
"""

import random
import subprocess
import sys

import many_cases

MODELS = ["sc", "tso", "pso"]  # from strong to weak
ENGINES = ["explicit", "sat"]
LOADS = ["relaxed", "acquire", "seq_cst"]
STORES = ["relaxed", "release", "seq_cst"]
RMWS = ["relaxed", "acquire", "release", "acq_rel", "seq_cst"]


# What the threads do, and what they see only if the order of something is lost: "W x" writes 1, "R x 0" reads 0.
SHAPES = [
    (["W x", "R y 0"], ["W y", "R x 0"]),
    (["W x", "W y"], ["R y 1", "R x 0"]),
    (["R x 1", "W y"], ["R y 1", "W x"]),
    (["W x", "W y"], ["W y", "R x 0"]),
    (["W x", "R x 1", "R y 0"], ["W y", "R y 1", "R x 0"]),
    (["W x", "W y", "R z 0"], ["W z", "R y 1", "R x 0"]),
]


def program_text(rng):
    shaped = rng.random() < 0.6
    shape = rng.choice(SHAPES) if shaped else None
    variables = ["x", "y", "z"] if shaped else ["x", "y", "z"][:rng.choice([2, 2, 3])]
    results, wanted, threads = [], {}, []
    for name in ("first", "second"):
        lines = []
        planned = list(shape[len(threads)]) if shaped else [None] * rng.randint(2, 4)
        if shaped and rng.random() < 0.3:
            planned.insert(rng.randrange(len(planned)), None)
        for plan in planned:
            variable = rng.choice(variables)
            order = lambda orders: "memory_order_" + rng.choice([orders[0], *orders])
            result = f"{name}_{len(results)}"
            kind = rng.choice(["load", "load", "load", "store", "store", "store", "exchange", "add", "cas", "fence", "branch"])
            value = rng.randint(1, 2)
            if plan:
                variable = plan.split()[1]
                if plan.startswith("W"):
                    kind, value = rng.choice(["store", "store", "store", "exchange"]), 1
                else:
                    kind = rng.choice(["load", "load", "load", "load", "add"])
                    wanted[result] = int(plan.split()[2])
            if kind == "load":
                lines.append(f"int {result}_ = atomic_load_explicit(&{variable}, {order(LOADS)});")
            elif kind == "store":
                lines.append(f"atomic_store_explicit(&{variable}, {value}, {order(STORES)});")
            elif kind == "exchange":
                lines.append(f"int {result}_ = atomic_exchange_explicit(&{variable}, {value}, {order(RMWS)});")
            elif kind == "add":
                lines.append(f"int {result}_ = atomic_fetch_add_explicit(&{variable}, {value}, {order(RMWS)});")
            elif kind == "cas":
                lines.append(f"int {result}_ = {value - 1};")
                lines.append(f"atomic_compare_exchange_strong_explicit(&{variable}, &{result}_, {value}, {order(RMWS)}, "
                             "memory_order_relaxed);")
            elif kind == "fence":
                lines.append(f"atomic_thread_fence({order(RMWS)});")
            else:
                lines.append(f"int {result}_ = atomic_load_explicit(&{variable}, {order(LOADS)});")
                lines.append(f"if ({result}_ == {value}) atomic_store_explicit(&{rng.choice(variables)}, {3 - value}, "
                             f"{order(STORES)});")
            if kind not in ("store", "fence"):
                results.append(result)
                lines.append(f"{result} = {result}_;")
        threads.append((name, lines))
    facts = [f"{result} == {rng.choice([0, 0, 1, 1, 2])}" for result in results]
    facts += [f"atomic_load(&{variable}) == {rng.choice([0, 1, 2])}" for variable in variables if rng.random() < 0.3]
    # Few facts, so that some programs have such an outcome.
    rng.shuffle(facts)
    facts = facts[:rng.randint(1, 4)] or ["atomic_load(&x) == 0"]
    if shaped:
        facts = [f"{result} == {value}" for result, value in wanted.items()]
    text = "#include <fenceline.h>\n#include <pthread.h>\n#include <stdatomic.h>\n\n"
    text += "atomic_int " + ", ".join(variables) + ";\n"
    if results:
        text += "int " + ", ".join(results) + ";\n"
    for name, lines in threads:
        text += f"\nstatic void *{name}(void *unused) {{\n  " + "\n  ".join(lines) + "\n  return unused;\n}\n"
    return text + ("\nint main(void) {\n  pthread_t a, b;\n  pthread_create(&a, 0, first, 0);\n  pthread_create(&b, 0, second, 0);\n"
                   "  pthread_join(a, 0);\n  pthread_join(b, 0);\n"
                   f"  fl_assert(!({' && '.join(facts)}));\n  return 0;\n}}\n")


def verdict(program, path, engine, model):
    result = subprocess.run([program, "check", "--engine", engine, "--model", model, "--timeout", "20", str(path)],
                            capture_output=True, text=True, stdin=subprocess.DEVNULL, timeout=3600)
    if result.returncode not in (0, 1, 2):
        return f"exit status {result.returncode}: {result.stderr[:500]}"
    return ("verified", "violated", "unknown")[result.returncode]


def case(program, seed, folder):
    path = folder / f"random_{seed}.c"
    path.write_text(program_text(random.Random(seed)))
    verdicts = {(engine, model): verdict(program, path, engine, model) for model in MODELS for engine in ENGINES}
    answers = [f"{engine} {model} {answer}" for (engine, model), answer in verdicts.items()]
    for answer in verdicts.values():
        if answer.startswith("exit"):
            return answer, answers
    sure = {}
    for model in MODELS:
        found = {verdicts[engine, model] for engine in ENGINES} - {"unknown"}
        if len(found) > 1:
            return f"the engines disagree on {model}: {verdicts}", answers
        if found:
            sure[model] = found.pop()
    for strong, weak in zip(MODELS, MODELS[1:]):
        if sure.get(strong) == "violated" and sure.get(weak) == "verified":
            return f"{strong} allows what {weak} does not: {verdicts}", answers
    path.unlink()
    return None, answers


if __name__ == "__main__":
    _, FAILURES = many_cases.run(case, 10)
    sys.exit(1 if FAILURES else 0)
