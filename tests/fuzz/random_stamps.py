#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-3.0-or-later
"""Timestamps are renamed in every state, so that a clock may count for ever. This tests that no information is lost: a random program in which they grow only so far must have the same answer if its timestamps are plain integers.

usage: random_stamps.py FENCELINE [--count N] [--seed S]

`unknown` is allowed for timestamps (what a state has abstracted away is not guessed), but not always.
"""
import argparse
import pathlib
import random
import subprocess
import sys
import tempfile

MODELS = ["sc", "tso", "pso", "rmo-ctrl"]


class Maker:
    """Makes the text of one program."""

    def __init__(self, rng):
        self.rng = rng
        self.constants = rng.choice([[1], [1], [1, 2], [0, 1, 3]])
        self.ordered = rng.random() < 0.5

    def constant(self):
        return str(self.rng.choice(self.constants))

    def register(self):
        return self.rng.choice("rst")

    def cell(self):
        return self.rng.choice(["clk", "ver"])

    def sum(self, likely=0.4):
        text = self.register()
        while self.rng.random() < likely:
            text += " + " + self.constant()
            likely /= 2
        return text

    def value(self):
        return self.constant() if self.rng.random() < 0.15 else self.sum()

    def comparison(self):
        operator = self.rng.choice(["==", "!=", "<", "<="] if self.ordered else ["==", "!="])
        return f"{self.sum()} {operator} {self.value()}"

    def condition(self):
        parts = [self.comparison() for _ in range(self.rng.choice([1, 1, 2, 3]))]
        return self.rng.choice([" || ", " && "]).join(parts)

    def statement(self, depth=0):
        kind = self.rng.randrange(10 if depth < 2 else 8)
        if kind <= 2:
            return f"{self.register()} = {self.cell()};"
        if kind == 3:
            return f"{self.cell()} = {self.value()};"
        if kind == 4:
            return f"{self.register()} = {self.value()};"
        if kind == 5:
            register = self.register()
            return f"l = cas({self.cell()}, {register}, {register} + {self.constant()});"
        if kind == 6:
            return f"{self.register()} = fetch_add({self.cell()}, {self.constant()});"
        if kind == 7:
            return self.rng.choice(["fence;", f"{self.register()} = xchg({self.cell()}, {self.value()});",
                                    f"l = cas({self.cell()}, {self.sum()}, {self.value()});"])
        body = " ".join(self.statement(depth + 1) for _ in range(self.rng.randint(1, 2)))
        return f"if ({self.condition()}) {{ {body} }}"

    def observer(self):
        """Reads the clock twice, adds, and bounds the difference of the two."""
        first, second, third = self.rng.sample("rst", 3)
        statements = [f"{first} = clk;", f"{second} = clk;"]
        for _ in range(self.rng.randint(0, 4)):
            target = self.rng.choice([first, first, second, third])
            value = self.rng.choice([f"{target} + {self.constant()}", f"{target} + {self.constant()}",
                                     self.constant(), self.register()])
            statements.append(f"{target} = {value};")
        sides = self.rng.sample([first, second, third], 2)
        parts = []
        for _ in range(self.rng.randint(1, 4)):
            added = "".join(f" + {self.constant()}" for _ in range(self.rng.randint(0, 3)))
            parts.append(f"{sides[0]}{added} == {sides[1]}")
        if self.rng.random() < 0.3:
            statements.append(f"assert(!({' || '.join(parts)}));")
        else:
            statements.append(f"assert({sides[0]} == {self.constant()} || {' || '.join(parts)});")
        return statements

    def program(self):
        text = f"shared stamp clk = {self.constant()}, ver;\n"
        for name in "PQ":
            statements = [self.statement() for _ in range(self.rng.randint(2, 6))]
            if name == "Q" and self.rng.random() < 0.5:
                statements = self.observer()
            elif name == "Q":
                alternatives = " || ".join(self.comparison() for _ in range(self.rng.randint(2, 5)))
                statements.append(f"assert({alternatives});")
            lines = "\n".join("  " + statement for statement in statements)
            text += f"thread {name} {{\n  local stamp r, s, t;\n  local int l;\n{lines}\n}}\n"
        ticks = " ".join(f"u = fetch_add(clk, {self.constant()});" for _ in range(self.rng.randint(1, 5)))
        return text + f"thread T {{\n  local stamp u;\n  {ticks}\n}}\n"


def verdict(fenceline, path, model):
    run = subprocess.run([fenceline, "check", str(path), "--model", model, "--engine", "queue", "--quiet"],
                         capture_output=True, text=True, check=False)
    words = {0: "verified", 1: "violated", 2: "unknown"}
    return words.get(run.returncode, f"status {run.returncode}: {run.stdout}{run.stderr}")


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("fenceline")
    parser.add_argument("--count", type=int, default=100)
    parser.add_argument("--seed", type=int, default=1)
    options = parser.parse_args()
    rng = random.Random(options.seed)
    answers = {"verified": 0, "violated": 0, "unknown": 0}
    wrong = 0
    with tempfile.TemporaryDirectory() as folder:
        stamps, numbers = pathlib.Path(folder) / "stamps.fl", pathlib.Path(folder) / "numbers.fl"
        for _ in range(options.count):
            text = Maker(rng).program()
            stamps.write_text(text)
            numbers.write_text(text.replace("stamp", "int"))
            model = rng.choice(MODELS)
            found, expected = verdict(options.fenceline, stamps, model), verdict(options.fenceline, numbers, model)
            if found in answers:
                answers[found] += 1
            if expected not in ("verified", "violated") or found not in (expected, "unknown"):
                print(f"on {model}: {found} with timestamps, {expected} with integers\n{text}")
                wrong += 1
    print(f"{options.count} programs, {wrong} wrong:", ", ".join(f"{n} {word}" for word, n in answers.items()))
    conclusive = answers["verified"] >= options.count // 20 and answers["violated"] >= options.count // 20
    return 1 if wrong or not conclusive else 0


sys.exit(main())
