#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-3.0-or-later
"""Random concurrent C: engines, interleavings and executions by the axioms of RC11 must agree, data races included.

    random_concurrent_c.py PROGRAM [--count N] [--seed N] [--keep FOLDER] [--batch N] [--plant NAME]
                           [--without KIND]

Two or three threads with plain and atomic accesses of all orders, waits whose bodies read plain variables, follow
pointers or divide, constant loops, a mutex, joins and an assertion about what was seen; three in ten are shapes of
litmus tests, whose assertion may hold on one model and not on another; one in seven publishes a plain variable by an
atomic one, with orders that may be too weak. On sc, tso and pso the explicit and the SAT engine verify it, on rc11 the
SAT engine; concurrent_c.py has an answer of its own for sc and rc11. What one of these models allows, weaker ones
allow (sc, tso, pso); and a program with one order made stronger has no violation on rc11 that the program itself has
not. A planted bug (`--plant races`: the oracle takes no notice of races; `--plant idle`: nor of what happens in
failing iterations of a wait) must be found: then the exit status is 1.
"""

import argparse
import collections
import json
import pathlib
import random
import subprocess
import sys
import tempfile

import concurrent_c

MACHINES = ["sc", "tso", "pso"]  # from strong to weak
STRONGER = {"rlx": "sc", "acq": "sc", "rel": "sc", "acqrel": "sc"}


def load_order(rng):
    return rng.choice(["rlx", "rlx", "acq", "sc"])


def store_order(rng):
    return rng.choice(["rlx", "rlx", "rel", "sc"])


def fence(rng):
    return ("fence", rng.choice(["acq", "rel", "acqrel", "sc"]))


def random_statements(rng, count, depth, names):
    register = lambda: f"r{rng.randrange(3)}"
    rmw_order = lambda: rng.choice(["rlx", "acq", "rel", "acqrel", "sc"])
    for _ in range(count):
        kind = rng.choices(["st", "ld", "plain store", "plain load", "add", "xchg", "cas", "fence", "if", "wait", "for",
                            "section", "deref", "point", "div", "check"],
                           [14, 12, 8, 8, 2, 2, 2, 4, 6 if depth < 2 else 0, 9 if depth < 2 else 0,
                            2 if depth < 1 else 0, 4 if depth < 1 else 0, 3, 3, 1, 2])[0]
        variable = rng.choice(names)
        if kind == "st":
            yield ("st", variable, rng.choice([1, 1, 2]), store_order(rng))
        elif kind == "ld":
            yield ("ld", register(), variable, load_order(rng))
        elif kind == "plain store":
            yield ("st", rng.choice(["a", "a", "b"]), 1, "na")
        elif kind == "plain load":
            yield ("ld", register(), rng.choice(["a", "a", "b"]), "na")
        elif kind in ("add", "xchg"):
            yield (kind, register(), variable, 1, rmw_order())
        elif kind == "cas":
            yield ("cas", register(), variable, rng.choice([0, 1]), 2, rmw_order())
        elif kind == "fence":
            yield fence(rng)
        elif kind == "if":
            yield ("if", register(), rng.choice([0, 1, 1]), list(random_statements(rng, 1, depth + 1, names)))
        elif kind == "wait":
            # Loops that change a live register or store in each iteration may have no bound: not these.
            body = rng.choice([[], [], [("ld", "w", rng.choice(["a", "b"]), "na")], [("ld", "w", "a", "na")],
                               [("deref", "w")], [("div", "w", variable)],
                               [("ld", "w", "x", load_order(rng)), ("check", "w", 2)],
                               [("wait", "y", load_order(rng), rng.choice([0, 1]), [("ld", "w", "a", "na")])]])
            yield ("wait", variable, load_order(rng), rng.choice([1, 1, 1, 0]), body)
        elif kind == "for":
            yield ("for", 2, list(random_statements(rng, 1, 2, names)))
        elif kind == "section":
            yield ("section", list(random_statements(rng, rng.randint(1, 2), 2, names)))
        elif kind == "deref":
            yield ("deref", register())
        elif kind == "point":
            yield ("point", store_order(rng))
        elif kind == "div":
            yield ("div", register(), variable)
        else:
            yield ("check", register(), rng.choice([1, 2]))


# Shapes of litmus tests, and what weak models allow of them: (thread, register, value).
SHAPES = [
    ([["st x 1", "ld r0 f"], ["st f 1", "ld r1 x"]], [(0, "r0", 0), (1, "r1", 0)]),
    ([["st x 1", "st f 1"], ["ld r0 f", "ld r1 x"]], [(1, "r0", 1), (1, "r1", 0)]),
    ([["ld r0 x", "st f 1"], ["ld r1 f", "st x 1"]], [(0, "r0", 1), (1, "r1", 1)]),
    ([["st x 1"], ["ld r0 x", "ld r1 x"]], [(1, "r0", 1), (1, "r1", 0)]),
    ([["st x 1"], ["ld r0 x", "st f 1"], ["ld r1 f", "ld r2 x"]], [(1, "r0", 1), (2, "r1", 1), (2, "r2", 0)]),
]


def random_shape(rng):
    """A shape with random orders, fences and further statements: on these the models differ."""
    shape, facts = rng.choice(SHAPES)
    threads = []
    for accesses in shape:
        body = []
        for access in accesses:
            kind, first, second = access.split()
            if body and rng.random() < 0.25:
                body.append(fence(rng))
            if rng.random() < 0.15:
                body += random_statements(rng, 1, 1, ["y"])
            if kind == "st":
                body.append(("st", first, int(second), store_order(rng)))
            else:
                body.append(("ld", first, second, load_order(rng)))
        threads.append(body)
    return threads, facts


def random_publication(rng):
    """One thread writes a plain variable and sets a flag, another sees the flag and reads: a race, or a correct program."""
    maybe_fence = lambda: [fence(rng)] if rng.random() < 0.25 else []
    writer = [("st", "a", 1, "na"), *maybe_fence(), ("st", "f", 1, rng.choice(["rlx", "rel", "rel", "sc"]))]
    order = rng.choice(["rlx", "acq", "acq", "sc"])
    seen = [*maybe_fence(), ("ld", "r1", "a", "na")]
    if rng.random() < 0.5:
        reader = [("wait", "f", order, 1, []), *seen]
    else:
        reader = [("ld", "r0", "f", order), *seen[:-1], ("if", "r0", 1, seen[-1:])]
    threads = [writer, reader]
    if rng.random() < 0.3:  # a third one hands the flag on
        writer[-1] = ("st", "x", *writer[-1][2:])
        threads.append([("wait", "x", rng.choice(["rlx", "acq", "acq"]), 1, []),
                        ("st", "f", 1, rng.choice(["rlx", "rel", "rel"]))])
    return threads, [(1, "r1", 2)]


def random_program(rng):
    kind = rng.random()
    if kind < 0.3:
        return random_shape(rng)
    if kind < 0.45:
        return random_publication(rng)
    names = rng.choice([["x", "y", "f"], ["x", "f"], ["f"]])
    threads = [list(random_statements(rng, rng.randint(1, 4), 0, names)) for _ in range(rng.choice([2, 2, 2, 3]))]
    if rng.random() < 0.6:  # most waits end
        threads[rng.randrange(len(threads))].append(("st", "f", 1, rng.choice(["rlx", "rel", "sc"])))
    results = [(t, name) for t, body in enumerate(threads) for name in sorted(set(concurrent_c.registers_of(body)))
               if name != "w"]
    rng.shuffle(results)
    # A register that is only looked at is 0, and C need not have it.
    facts = [(t, name, rng.choice([0, 1, 1, 2])) for t, name in results[:rng.randint(1, 3)]]
    return threads, facts


def with_stronger_order(rng, program):
    """One access or fence with a stronger order; None if there is none to change."""
    threads, facts = program
    positions = []

    def find(path, statements):
        for i, statement in enumerate(statements):
            for k, word in enumerate(statement):
                if isinstance(word, str) and word in STRONGER and statement[0] in (
                        "st", "ld", "add", "xchg", "cas", "fence", "wait", "point"):
                    positions.append(path + [i, k])
            if isinstance(statement[-1], list):
                find(path + [i, len(statement) - 1], statement[-1])

    find([], threads and [("all", body) for body in threads])
    if not positions:
        return None

    def change(path, statements):
        i, k, *rest = path
        result = list(statements)
        statement = list(result[i])
        statement[k] = change(rest, statement[k]) if rest else STRONGER[statement[k]]
        result[i] = tuple(statement)
        return result

    changed = change(rng.choice(positions), [("all", body) for body in threads])
    return [body for _, body in changed], facts


def without_waiting_bodies(statements):
    for statement in statements:
        if statement[0] == "wait":
            yield (*statement[:4], [])
        elif isinstance(statement[-1], list):
            yield (*statement[:-1], list(without_waiting_bodies(statement[-1])))
        else:
            yield statement


def without(kind, statements):
    return [(*statement[:-1], without(kind, statement[-1])) if isinstance(statement[-1], list) else statement
            for statement in statements if statement[0] != kind]


class Runs:
    def __init__(self, options, folder):
        self.options, self.folder = options, folder
        self.answers = collections.Counter()
        self.failures = 0

    def check(self, paths, engine, models):
        words = [self.options.program, "check", *map(str, paths), "--engine", engine, "--model", ",".join(models),
                 "--json", "-", "--quiet", "--timeout", "60", "--certify", "never"]
        result = subprocess.run(words, capture_output=True, text=True, stdin=subprocess.DEVNULL)
        if result.returncode not in (0, 1, 2) or not result.stdout:
            raise SystemExit(f"exit status {result.returncode}: {' '.join(words)}\n{result.stderr[:2000]}")
        return {(one["file"], one["model"]): one["verdict"] for one in json.loads(result.stdout)["results"]
                if one["property"] == "errors"}

    def fail(self, seed, path, what):
        self.failures += 1
        print(f"{seed}: {what}\n{path.read_text()}" if self.failures <= 3 else f"{seed}: {what}", flush=True)

    def oracle(self, name, program):
        plant = self.options.plant
        if plant == "idle":
            program = [list(without_waiting_bodies(body)) for body in program[0]], program[1]
        try:
            if name == "sc":
                return "violated" if concurrent_c.sc_violated(program) else "verified"
            if plant == "races":
                judge = concurrent_c.Judge.judge
                program = [list(body) for body in program[0]], program[1]
                concurrent_c.Judge.judge = lambda self, rf, co: None if judge(self, rf, co) is None else False
                try:
                    return "violated" if concurrent_c.rc11_violated(program) else "verified"
                finally:
                    concurrent_c.Judge.judge = judge
            return "violated" if concurrent_c.rc11_violated(program) else "verified"
        except concurrent_c.TooLarge:
            return "unknown"

    def batch(self, seeds):
        programs, paths, variants = {}, {}, {}
        for seed in seeds:
            rng = random.Random(seed)
            programs[seed] = random_program(rng)
            if self.options.without:
                threads = [without(self.options.without, body) for body in programs[seed][0]]
                left = [set(concurrent_c.registers_of(body)) for body in threads]
                programs[seed] = threads, [fact for fact in programs[seed][1] if fact[1] in left[fact[0]]]
            paths[seed] = self.folder / f"concurrent_{seed}.c"
            paths[seed].write_text(concurrent_c.c_text(programs[seed]))
            if (stronger := with_stronger_order(rng, programs[seed])) is not None:
                variants[seed] = self.folder / f"stronger_{seed}.c"
                variants[seed].write_text(concurrent_c.c_text(stronger))
        explicit = self.check(paths.values(), "explicit", MACHINES)
        sat = self.check(paths.values(), "sat", [*MACHINES, "rc11"])
        strong = self.check(variants.values(), "sat", ["rc11"]) if variants else {}
        for seed, path in paths.items():
            failed = self.failures
            self.compare(seed, path, programs[seed], explicit, sat)
            here = str(variants.get(seed))
            if strong.get((here, "rc11")) == "violated" and sat[str(path), "rc11"] == "verified":
                self.fail(seed, path, f"a stronger order has a violation on rc11: {here}")
            if failed == self.failures:
                path.unlink()
                if seed in variants:
                    variants[seed].unlink()

    def compare(self, seed, path, program, explicit, sat):
        sure = {}
        for model in MACHINES:
            found = {"explicit": explicit[str(path), model], "sat": sat[str(path), model]}
            if model == "sc":
                found["interleavings"] = self.oracle("sc", program)
            for who, verdict in found.items():
                self.answers[f"{model} {who} {verdict}"] += 1
            known = set(found.values()) - {"unknown"}
            if len(known) > 1:
                self.fail(seed, path, f"{model}: {found}")
            elif known:
                sure[model] = known.pop()
        for strong, weak in zip(MACHINES, MACHINES[1:]):
            if sure.get(strong) == "violated" and sure.get(weak) == "verified":
                self.fail(seed, path, f"{strong} allows what {weak} does not")
        if sure.get("sc") == "violated" and sat[str(path), "rc11"] == "verified":
            self.fail(seed, path, "sc allows what rc11 does not")
        found = {"sat": sat[str(path), "rc11"], "axioms": self.oracle("rc11", program)}
        for who, verdict in found.items():
            self.answers[f"rc11 {who} {verdict}"] += 1
        if len(set(found.values()) - {"unknown"}) > 1:
            self.fail(seed, path, f"rc11: {found}")


def main():
    arguments = argparse.ArgumentParser()
    arguments.add_argument("program")
    arguments.add_argument("--count", type=int, default=20)
    arguments.add_argument("--seed", type=int, default=1)
    arguments.add_argument("--batch", type=int, default=20)
    arguments.add_argument("--keep", metavar="FOLDER")
    arguments.add_argument("--plant", choices=["races", "idle"])
    arguments.add_argument("--without", metavar="KIND", choices=concurrent_c.STATEMENTS, help="no such statements")
    options = arguments.parse_args()
    with tempfile.TemporaryDirectory() as scratch:
        folder = pathlib.Path(options.keep or scratch)
        folder.mkdir(parents=True, exist_ok=True)
        runs = Runs(options, folder)
        first, last = options.seed * 100000, options.seed * 100000 + options.count
        for begin in range(first, last, options.batch):
            runs.batch(range(begin, min(begin + options.batch, last)))
    for answer, times in sorted(runs.answers.items()):
        print(f"{answer}: {times}")
    print(f"{options.count} programs, {runs.failures} failures")
    # An engine that always answers "unknown" would pass, so at most half of the answers may be.
    decided = runs.answers["rc11 axioms verified"] + runs.answers["rc11 axioms violated"]
    if decided * 2 < options.count:
        print("but the axioms decided hardly any of them: this shows nothing")
        return 1
    return 1 if runs.failures else 0


if __name__ == "__main__":
    sys.exit(main())
