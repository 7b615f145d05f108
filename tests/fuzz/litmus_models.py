#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-3.0-or-later
"""Random litmus tests under several models: a weaker model allows no less.

    litmus_models.py PROGRAM [--count N] [--seed N] [--plant] [--keep FOLDER]

Makes N tests of two or three threads per architecture (loads, stores, read-modify-writes, compare-and-swaps, fences,
dependencies) and computes all final states under sc, under the model of the architecture, and under that model with one
condition taken away. Each list must contain the one before. Inside, the program compares what the solver finds with what
counting all executions finds, and a difference ends with status 70: that is a failure too. With --plant the lists are
compared in reverse, and there must be differences. The same seed makes the same tests.
"""

import argparse
import json
import pathlib
import random
import re
import subprocess
import sys
import tempfile

MODELS = pathlib.Path(__file__).resolve().parent.parent.parent / "models"
CONDITION = re.compile(r"(?m)^(acyclic|empty|irreflexive)\b.*$")


class Test:
    def __init__(self, rng):
        self.rng = rng
        self.locations = ["x", "y"]
        self.threads = [self.thread(t) for t in range(rng.choice([2, 2, 2, 3]))]

    def thread(self, number):
        self.registers, self.labels, self.number = 0, 0, number
        self.last = None  # the register that was loaded last
        code = []
        for _ in range(self.rng.choice([2, 2, 3, 3, 4])):
            code += self.step()
        return code

    def fresh(self):
        self.registers += 1
        return self.registers

    def location(self):
        return self.rng.randrange(len(self.locations))

    def value(self):
        return self.rng.choice([1, 1, 2])


class Assembly(Test):
    def text(self, name, rng):
        count = max(map(len, self.threads))
        rows = [" | ".join(thread[i] if i < len(thread) else "" for thread in self.threads) for i in range(count)]
        head = " | ".join(f"P{t}" for t in range(len(self.threads)))
        initial = " ".join(f"{t}:{self.base(i)}={location};" for t in range(len(self.threads))
                           for i, location in enumerate(self.locations)) if self.BASES else ""
        seen = [f"{t}:{reg};" for t, thread in enumerate(self.threads) for reg in self.loaded(thread)]
        return (f"{self.NAME} {name}\n{{ x=0; y=0; {initial} }}\n {head} ;\n" + "".join(f" {row} ;\n" for row in rows)
                + f"locations [{' '.join(seen)} x; y;]\nforall (true)\n")

    BASES = True  # of addresses are in registers


class AArch64(Assembly):
    NAME, MODEL = "AArch64", "armv8"

    def loaded(self, thread):
        found = {m for text in thread for m in re.findall(r"^(?:LDR|LDAR|LDAPR|CASA?L?) W(\d+)", text)}
        found |= {m for text in thread for m in re.findall(r"^(?:SWP|LDADD)A?L? W\d+,W(\d+)", text)}
        return [f"X{m}" for m in sorted(found)]

    def base(self, location):
        return f"X{20 + location}"

    def step(self):
        rng, at = self.rng, f"[{self.base(self.location())}]"
        kind, n = rng.randrange(12), self.fresh()
        if kind <= 2:
            self.last, op = n, rng.choice(["LDR", "LDR", "LDAR", "LDAPR"])
            return [f"{op} W{n},{at}"]
        if kind <= 5:
            return [f"MOV W{n},#{self.value()}", f"{rng.choice(['STR', 'STR', 'STLR'])} W{n},{at}"]
        if kind == 6:
            return [rng.choice(["DMB SY", "DMB LD", "DMB ST", "ISB"])]
        if kind == 7:
            m, order = self.fresh(), rng.choice(["", "A", "L", "AL"])
            self.last = n
            return [f"MOV W{n},#{rng.choice([0, 1])}", f"MOV W{m},#{self.value()}", f"CAS{order} W{n},W{m},{at}"]
        if kind == 8:
            m, op, order = self.fresh(), rng.choice(["SWP", "LDADD"]), rng.choice(["", "A", "L", "AL"])
            if rng.random() < 0.4:
                return [f"MOV W{m},#{self.value()}", f"{op}{order} W{m},WZR,{at}"]
            self.last = n
            return [f"MOV W{m},#{self.value()}", f"{op}{order} W{m},W{n},{at}"]
        if self.last is None:
            return []
        if kind == 9:
            label = f"L{self.number}{n}"
            return [f"CBNZ W{self.last},{label}", f"{label}:"]
        m, last = self.fresh(), self.last
        if kind == 10:
            k = self.fresh()
            self.last = k
            return [f"EOR W{n},W{last},W{last}", f"LDR W{k},{at[:-1]},W{n},SXTW]"]
        return [f"EOR W{n},W{last},W{last}", f"ADD W{m},W{n},#{self.value()}", f"STR W{m},{at}"]


class RiscV(Assembly):
    NAME, MODEL = "RISCV", "riscv"

    def loaded(self, thread):
        return sorted({m for text in thread for m in re.findall(r"^(?:lw(?:\.aq)?|amo\w+\.w\S*) (x\d+)", text)})

    def base(self, location):
        return f"x{28 + location}"

    def step(self):
        rng, at = self.rng, f"0({self.base(self.location())})"
        kind, n = rng.randrange(10), 4 + self.fresh()
        if kind <= 2:
            self.last = n
            return [f"lw x{n},{at}"]
        if kind <= 5:
            return [f"li x{n},{self.value()}", f"sw x{n},{at}"]
        if kind == 6:
            return [f"fence {rng.choice(['rw,rw', 'r,rw', 'rw,w', 'w,w', 'r,r'])}"]
        if kind == 7:
            m, op = 4 + self.fresh(), rng.choice(["amoswap", "amoadd", "amoor"])
            self.last = n
            return [f"li x{m},{self.value()}", f"{op}.w{rng.choice(['', '.aq', '.rl', '.aq.rl'])} x{n},x{m},({at[2:-1]})"]
        if self.last is None:
            return []
        if kind == 8:
            label = f"L{self.number}{n}"
            return [f"bnez x{self.last},{label}", f"{label}:"]
        m = 4 + self.fresh()
        return [f"xor x{n},x{self.last},x{self.last}", f"addi x{m},x{n},{self.value()}", f"sw x{m},{at}"]


class Ppc(Assembly):
    NAME, MODEL = "PPC", "power"

    def loaded(self, thread):
        return sorted({m for text in thread for m in re.findall(r"^lwz (r\d+)", text)})

    def base(self, location):
        return f"r{28 + location}"

    def step(self):
        rng, at = self.rng, f"0({self.base(self.location())})"
        kind, n = rng.randrange(10), self.fresh()
        if kind <= 3:
            self.last = n
            return [f"lwz r{n},{at}"]
        if kind <= 6:
            return [f"li r{n},{self.value()}", f"stw r{n},{at}"]
        if kind == 7:
            return [rng.choice(["sync", "lwsync", "eieio", "isync"])]
        if self.last is None:
            return []
        if kind == 8:
            label = f"L{self.number}{n}"
            return [f"cmpwi r{self.last},1", f"beq {label}", f"{label}:"]
        m = self.fresh()
        return [f"xor r{n},r{self.last},r{self.last}", f"addi r{m},r{n},{self.value()}", f"stw r{m},{at}"]


class X86(Assembly):
    NAME, MODEL, BASES = "X86", "x86tso", False
    NAMES = ["EAX", "EBX", "ECX", "EDX", "ESI", "EDI"]

    def loaded(self, thread):
        found = {m for text in thread for m in re.findall(r"^MOV (E\w\w),\[|^(?:XCHG|LOCK XADD) \[\w\],(E\w\w)", text)}
        found = {a or b for a, b in found}
        return sorted(found | ({"EAX"} if any("CMPXCHG" in text for text in thread) else set()))

    def step(self):
        rng, at = self.rng, f"[{self.locations[self.location()]}]"
        kind, reg = rng.randrange(9), self.NAMES[self.fresh() % len(self.NAMES)]
        if kind <= 3:
            return [f"MOV {reg},{at}"] if kind <= 1 else [f"MOV {at},${self.value()}"]
        if kind == 4:
            return [rng.choice(["MFENCE", "SFENCE", "LFENCE"])]
        if kind == 5:
            return [f"MOV {reg},${self.value()}", f"XCHG {at},{reg}"]
        if kind == 6:
            return [f"MOV EAX,${rng.choice([0, 1])}", f"MOV EBX,${self.value()}", f"LOCK CMPXCHG {at},EBX"]
        return [f"LOCK ADD {at},${self.value()}"] if kind == 7 else [f"ADD {at},${self.value()}"]


class C(Test):
    NAME, MODEL = "C", "rc11"
    LOAD = ["relaxed", "acquire", "seq_cst"]
    STORE = ["relaxed", "release", "seq_cst"]
    BOTH = ["relaxed", "acquire", "release", "acq_rel", "seq_cst"]

    def step(self):
        rng, at, n = self.rng, self.locations[self.location()], self.fresh()
        order = lambda among: "memory_order_" + rng.choice(among)
        kind = rng.randrange(8)
        if kind <= 1:
            self.last = n
            return [f"int r{n} = atomic_load_explicit({at}, {order(self.LOAD)});"]
        if kind <= 3:
            stored = f"r{self.last}" if self.last and rng.random() < 0.3 else self.value()
            return [f"atomic_store_explicit({at}, {stored}, {order(self.STORE)});"]
        if kind == 4:
            return [f"atomic_thread_fence({order(self.BOTH)});"]
        self.last = n
        if kind == 5:
            op = rng.choice(["exchange", "fetch_add", "fetch_or"])
            return [f"int r{n} = atomic_{op}_explicit({at}, {self.value()}, {order(self.BOTH)});"]
        return [f"int e{n} = {rng.choice([0, 1])};",
                f"int r{n} = atomic_compare_exchange_strong_explicit({at}, &e{n}, {self.value()}, {order(self.BOTH)}, "
                f"{order(self.LOAD)});"]

    def text(self, name, rng):
        functions = [f"P{t}(atomic_int* x, atomic_int* y) {{\n" + "".join(f"  {line}\n" for line in thread) + "}\n"
                     for t, thread in enumerate(self.threads)]
        seen = [f"{t}:{m};" for t, thread in enumerate(self.threads) for line in thread for m in re.findall(r"int (\w+)", line)]
        return f"C {name}\n{{ }}\n" + "\n".join(functions) + f"locations [{' '.join(seen)} x; y;]\nforall (true)\n"


def states(program, folder, model, architecture):
    """By test, or None if the run has failed."""
    result = subprocess.run([program, "litmus", "--timeout", "60", "--model", model, "--json", "-", str(folder)],
                            stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, check=False)
    if result.returncode not in (0, 2):
        print(f"{architecture} under {model}: exit status {result.returncode}\n{result.stderr[-2000:]}")
        return None
    answers = json.loads(result.stdout)["litmus"]
    return {one["test"]: {json.dumps(state["values"]) for state in one["states"]} for one in answers if one["complete"]}


def whole_model(path):
    """Its text, with that of what it includes from the library of models."""
    return re.sub(r'^include "([^"]*)"$', lambda match: (MODELS / "lib" / match.group(1)).read_text(), path.read_text(),
                  flags=re.MULTILINE)


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("program")
    parser.add_argument("--count", type=int, default=50)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--plant", action="store_true")
    parser.add_argument("--keep", type=pathlib.Path)
    options = parser.parse_args()
    tests = failures = compared = 0
    with tempfile.TemporaryDirectory(prefix="fenceline-models-") as scratch:
        root = options.keep or pathlib.Path(scratch)
        for architecture in (AArch64, RiscV, Ppc, X86, C):
            rng = random.Random(f"{architecture.NAME} {options.seed}")
            folder = root / architecture.NAME
            folder.mkdir(parents=True, exist_ok=True)
            for number in range(options.count):
                name = f"{architecture.NAME}-{options.seed}-{number}"
                (folder / f"{number:06}.litmus").write_text(architecture(rng).text(name, rng))
                tests += 1
            text = whole_model(MODELS / f"{architecture.MODEL}.cat")
            conditions = [m for m in CONDITION.finditer(text)]
            gone = rng.choice(conditions)
            weak = root / f"{architecture.NAME}-weak.cat"
            weak.write_text(text[:gone.start()] + text[gone.end():])
            lists = [states(options.program, folder, model, architecture.NAME)
                     for model in ("sc", architecture.MODEL, str(weak))]
            failures += lists.count(None)
            for strong, weaker in zip(lists, lists[1:]):
                if strong is None or weaker is None:
                    continue
                if options.plant:
                    strong, weaker = weaker, strong
                for name in sorted(set(strong) & set(weaker)):
                    compared += 1
                    if not strong[name] <= weaker[name]:
                        failures += 1
                        print(f"{name}: lost under the weaker model (without '{gone[0][:60]}'): "
                              f"{sorted(strong[name] - weaker[name])[:3]}")
    print(f"{tests} tests, {compared} pairs of lists, {failures} differences")
    return 1 if failures else 0


if __name__ == "__main__":
    sys.exit(main())
