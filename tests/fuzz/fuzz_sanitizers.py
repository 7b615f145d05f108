#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-3.0-or-later
"""Random sequential C programs with one planted fault each: what sanitizers report, Fenceline reports.

    fuzz_sanitizers.py PROGRAM [--count N] [--seed N] [--keep FOLDER] [--plant]

Each program has one statement that fails for some values of its operands: an index, a null pointer, a division, a shift, a
value that was never set, memory that was freed or has ended, an object that is too short, a constant that is written. Which
values there are is computed before, and whether control comes there, too; so in a share of the programs nothing fails. The
statement is in main, in a function that is called, in a loop, behind a condition, and its result may be unused.

The program is run twice, once with AddressSanitizer and UndefinedBehaviorSanitizer and once with MemorySanitizer. What they
report must be `violated` on sc, with --frees, in the line that one of them names; what they do not report must be `verified`.
Arithmetic that overflows is defined here, as by -fwrapv, but for a quotient. The same seed makes the same programs; those
that fail are kept in FOLDER.

With --plant, Fenceline does not see the statement: then it is an error if no difference is found.
"""

import json
import os
import pathlib
import random
import re
import subprocess
import sys

import many_cases

PLANT = "--plant" in sys.argv
if PLANT:
    sys.argv.remove("--plant")

COMMON = ["clang", "-w", "-g", "-O0", "-fwrapv", "-fno-sanitize-recover=all", "-fno-omit-frame-pointer"]
SANITIZERS = {
    "address": ["-fsanitize=address,undefined", "-fno-sanitize=pointer-overflow,object-size"],
    "memory": ["-fsanitize=memory"],
}
ENVIRONMENT = dict(os.environ, ASAN_OPTIONS="detect_leaks=0:detect_stack_use_after_return=1:symbolize=1",
                   UBSAN_OPTIONS="print_stacktrace=0", MSAN_OPTIONS="symbolize=1")
PATIENCE = 3600  # s: a slow machine is no failure


class Maker:
    """One program."""

    def __init__(self, seed):
        self.dice = random.Random(seed)
        self.top, self.body, self.locals = [], [], []
        self.names = 0

    def name(self, prefix):
        self.names += 1
        return f"{prefix}{self.names}"

    def number(self, low, high):
        """A variable with a value in between, which is not written as a constant where it is used."""
        value, name = self.dice.randint(low, high), self.name("n")
        choice = self.dice.randrange(4)
        if choice == 0:
            self.top.append(f"int {name} = {value};")
        elif choice == 1:
            self.body.append(f"int {name} = {value};")
        elif choice == 2:
            other = self.dice.randint(-5, 5)
            self.top.append(f"volatile int {name}_in = {value - other};")
            self.body.append(f"int {name} = {name}_in + {other};")
        else:
            steps = self.dice.randint(0, 4)
            self.body.append(f"int {name} = {value - steps};")
            self.body.append(f"for (int i = 0; i < {steps}; i++) {name}++;")
        return name

    def use(self, kind, expression):
        """A statement that evaluates it."""
        return self.dice.choice([f"{kind} unused = {expression};", f"sum += (long)({expression});",
                                 f"if (({expression}) == 12345) sum++;", f"{kind} twice = {expression}; sum += (long)twice;",
                                 f"for (int r = 0; r < 2; r++) {{ {kind} d = {expression}; }}"])

    def access(self, lvalue, inside=False):
        """A statement that reads or writes an int there. UBSan lets `a[n]++` pass for an `n` one past the end, which ASan
        sees unless the array lies inside of something."""
        return self.dice.choice([f"{lvalue} = 3;", f"{lvalue} = 4;" if inside else f"{lvalue}++;", self.use("int", lvalue),
                                 self.use("int", lvalue)])

    # ---- Faults: each returns the statement; what it needs is in `top` and `body` ----

    def index_of_global(self):
        name, length = self.name("g"), self.dice.randint(2, 6)
        self.top.append(f"int {name}[{length}];")
        return self.access(f"{name}[{self.number(-2, length + 3)}]")

    def index_of_local(self):
        name, length = self.name("a"), self.dice.randint(2, 6)
        self.body.append(f"int {name}[{length}] = {{0}};")
        return self.access(f"{name}[{self.number(-2, length + 3)}]")

    def index_of_member(self):
        name, length = self.name("s"), self.dice.randint(2, 4)
        self.top.append(f"struct {{ int before; int a[{length}]; int behind; }} {name};")
        return self.access(f"{name}.a[{self.number(-1, length + 1)}]", True)

    def index_of_matrix(self):
        name, length = self.name("m"), self.dice.randint(2, 3)
        self.top.append(f"int {name}[2][{length}];")
        return self.access(f"{name}[{self.number(0, 2)}][{self.number(0, length)}]", True)

    def index_of_heap(self):
        name, length = self.name("p"), self.dice.randint(2, 6)
        kind = self.dice.choice(["int", "int", "long", "short"])
        holder = self.dice.random() < 0.4
        if holder:
            self.top.append(f"struct {{ long count; {kind} *slots; }} {name}_in;")
            name = f"{name}_in.slots"
        self.body.append(f"{'' if holder else kind + ' *'}{name} = calloc({length}, sizeof({kind}));")
        return self.access(f"{name}[{self.number(-1, length + 1)}]")

    def walk(self):
        name, length = self.name("p"), self.dice.randint(2, 5)
        self.body.append(f"int *{name} = malloc({length} * sizeof(int));")
        end = self.number(0, length + 1)
        return f"for (int *q = {name}; q < {name} + {end}; q++) *q = 1;"

    def null(self):
        name = self.name("q")
        self.top.append(f"int {name}_x;")
        self.body.append(f"int *{name} = {self.number(0, 1)} ? &{name}_x : 0;")
        return self.access(f"*{name}")

    def null_member(self):
        name = self.name("q")
        self.top.append(f"struct {name} {{ long a; int b; }} {name}_x;")
        self.body.append(f"struct {name} *{name} = {self.number(0, 1)} ? &{name}_x : 0;")
        return self.access(f"{name}->b")

    def division(self):
        kind = self.dice.choice(["int", "unsigned", "long", "unsigned char"])
        return self.use(kind, f"({kind}){self.number(-3, 50)} {self.dice.choice('/%')} ({kind}){self.number(-1, 1)}"
                        if kind != "unsigned char" else f"7 {self.dice.choice('/%')} ({kind}){self.number(0, 2)}")

    def quotient(self):
        number = self.name("n")
        self.top.append(f"int {number} = {self.dice.choice(['-2147483647 - 1', '-2147483647', '5'])};")
        return self.use("int", f"{number} {self.dice.choice('/%')} {self.number(-2, 0)}")

    def shift(self):
        kind, bits = self.dice.choice([("int", 32), ("unsigned", 32), ("long", 64)])
        low, high = self.dice.choice([(-2, 3), (bits - 3, bits + 2), (1, 5)])
        by = self.number(low, high)
        return self.use(kind, f"({kind}){self.number(0, 9)} {self.dice.choice(['<<', '>>'])} {by}")

    def never_set(self):
        name, where = self.name("u"), self.dice.randrange(4)
        if where == 0:
            self.body.append(f"int {name};")
            self.body.append(f"if ({self.number(0, 1)}) {name} = 4;")
            used = name
        elif where == 1:
            length = self.dice.randint(2, 5)
            self.body.append(f"int *{name} = malloc({length} * sizeof(int));")
            self.body.append(f"for (int i = 0; i < {self.number(0, length)}; i++) {name}[i] = i;")
            used = f"{name}[{self.dice.randrange(length)}]"
        elif where == 2:
            self.body.append(f"struct {{ int a; long b; }} {name};")
            self.body.append(f"{name}.a = 1;")
            self.body.append(f"if ({self.number(0, 1)}) {name}.b = 2;")
            used = f"{name}.{self.dice.choice('ab')}"
        else:
            # Each iteration has its own.
            first = self.number(1, 3)
            return (f"for (int i = 0; i < 3; i++) {{ int {name}; if (i < {first}) {name} = i; "
                    f"if ({name} == 2) sum++; }}")
        return f"if ({used} == 3) sum++;"

    def freed(self):
        name = self.name("p")
        self.body.append(f"int *{name} = calloc(3, sizeof(int));")
        self.body.append(f"if ({self.number(0, 1)}) free({name});")
        return self.access(f"{name}[{self.dice.randrange(3)}]")

    def freed_twice(self):
        name = self.name("p")
        self.body.append(f"int *{name} = calloc(2, sizeof(int));")
        self.body.append(f"if ({self.number(0, 1)}) free({name});")
        return f"free({name});"

    def freed_inside(self):
        name = self.name("p")
        self.body.append(f"int *{name} = calloc(4, sizeof(int));")
        return f"free({name} + {self.number(0, 1)});"

    def returned(self):
        name = self.name("f")
        self.top.append(f"int {name}_x = 1;")
        self.top.append(f"int *{name}(int own) {{ int y = 2; int *p = own ? &y : &{name}_x; return p; }}")
        self.body.append(f"int *{name}_p = {name}({self.number(0, 1)});")
        return self.access(f"*{name}_p")

    def left(self):
        name = self.name("q")
        self.top.append(f"int {name}_x = 1;")
        self.body.append(f"int *{name} = &{name}_x;")
        self.body.append(f"{{ int y = 2; if ({self.number(0, 1)}) {name} = &y; }}")
        return self.access(f"*{name}")

    def constant(self):
        name = self.name("c")
        self.top.append(f"const int {name} = 3;")
        self.top.append(f"int {name}_x = 3;")
        self.body.append(f"int *{name}_p = {self.number(0, 1)} ? (int *)&{name} : &{name}_x;")
        return f"*{name}_p = 4;"

    FAULTS = [index_of_global, index_of_local, index_of_member, index_of_matrix, index_of_heap, index_of_heap, walk, null,
              null_member, division, division, quotient, shift, shift, never_set, never_set, freed, freed_twice, freed_inside,
              returned, left, constant]

    # ---- Programs ----

    def harmless(self):
        name = self.name("h")
        choice = self.dice.randrange(6)
        if choice == 0:
            self.top.append(f"int {name}[4] = {{1, 2, 3, 4}};")
            self.body.append(f"for (int i = 0; i < 4; i++) sum += {name}[i];")
        elif choice == 1:
            self.body.append(f"int *{name} = malloc(3 * sizeof(int));")
            self.body.append(f"for (int i = 0; i < 3; i++) {name}[i] = i;")
            self.body.append(f"sum += {name}[2];")
            self.body.append(f"free({name});")
        elif choice == 2:
            self.top.append(f"struct {name} {{ int a, b; }};")
            self.top.append(f"struct {name} {name}(int x) {{ struct {name} s; s.a = x; s.b = x + 1; return s; }}")
            self.body.append(f"sum += {name}({self.number(0, 9)}).b;")
        elif choice == 3:
            self.top.append(f"int {name}(int *x) {{ return ++*x; }}")
            self.body.append(f"int {name}_v = 1;")
            self.body.append(f"while ({name}(&{name}_v) < {self.number(1, 5)}) sum += {name}_v;")
        elif choice == 4:
            self.body.append(f"sum = sum * 3 + ({self.number(1, 9)} << 2) / {self.number(1, 3)};")
        else:
            self.top.append(f"int {name}_x, {name}_y;")
            self.top.append(f"int *{name}(int c) {{ return c ? &{name}_x : &{name}_y; }}")
            self.body.append(f"*{name}({self.number(0, 1)}) = 5;")

    def text(self):
        for _ in range(self.dice.randrange(3)):
            self.harmless()
        kind = self.dice.choice(self.FAULTS)
        statement = kind(self)
        if "unused" in statement or "twice" in statement:
            statement = "{ " + statement + " }"
        guard = self.dice.randrange(5)
        if guard == 0:
            statement = f"if ({self.number(0, 1)}) {{ FAULT({statement}) }}"
        elif guard == 1:
            statement = f"for (int k = 0; k < {self.number(0, 2)}; k++) {{ FAULT({statement}) }}"
        else:
            statement = f"FAULT({statement})"
        self.body.append(statement)
        for _ in range(self.dice.randrange(2)):
            self.harmless()
        lines = ["#include <stdlib.h>", "#ifdef MISS", "#define FAULT(...)", "#else", "#define FAULT(...) __VA_ARGS__",
                 "#endif", "long sum;"]
        if self.dice.random() < 0.4:
            # In a function of its own.
            lines += self.top + ["void work(void) {"] + self.body + ["}", "int main(void) {", "work();", "return 0;", "}"]
        else:
            lines += self.top + ["int main(void) {"] + self.body + ["return 0;", "}"]
        return kind.__name__, "\n".join(lines) + "\n"


def run(words, **more):
    return subprocess.run(words, capture_output=True, text=True, errors="replace", stdin=subprocess.DEVNULL,
                          timeout=PATIENCE, **more)


def reported(path, binary):
    """The lines that sanitizers complain about; none if they do not complain."""
    lines = []
    for name, options in SANITIZERS.items():
        compiled = run([*COMMON, *options, "-o", str(binary), str(path)])
        if compiled.returncode != 0:
            raise RuntimeError(compiled.stderr[:500])
        ran = run([str(binary)], env=ENVIRONMENT)
        binary.unlink()
        found = re.search(rf"{re.escape(path.name)}:(\d+):\d+: runtime error", ran.stderr) or re.search(
            rf"#\d+ .*{re.escape(path.name)}:(\d+)", ran.stderr)
        if found:
            lines.append(int(found.group(1)))
        elif ran.returncode != 0 and not lines:  # without a check, what AddressSanitizer has reported may well crash
            raise RuntimeError(f"{name}: {ran.stderr[:500]}")
    return lines


def answer(program, path, engine):
    """The exit status, the line of the error, and why there is no verdict."""
    output = path.with_suffix(".json")
    words = [program, "check", str(path), "--model", "sc", "--frees", "--engine", engine, "--timeout", "120", "--json",
             str(output)]
    result = run(words + (["-D", "MISS"] if PLANT else []))
    text = result.stdout + result.stderr
    line = 0
    if result.returncode == 1:
        line = next(found["trace"][-1]["line"] for found in json.loads(output.read_text())["results"]
                    if found["verdict"] == "violated")
    output.unlink(missing_ok=True)
    reason = re.search(r"error: (.*)", text) or re.search(r"unknown[^\n]*\n\s*(.*)", text)
    return result.returncode, line, reason.group(1) if reason else text.strip()[:300]


def case(program, seed, folder):
    path, binary = folder / f"fault_{seed}.c", folder / f"fault_{seed}"
    kind, text = Maker(seed).text()
    path.write_text(text)
    lines = reported(path, binary)
    status, line, reason = answer(program, path, ["explicit", "sat"][seed % 2])

    def finish(problem, answer):
        if problem is None:
            path.unlink()
        return problem, [f"{kind}: {answer}"]

    if status in (2, 65):
        reason = re.sub(r"'[^']*'|\d+", "_", reason)
        return finish(None, f"{'unknown' if status == 2 else 'rejected'}: {reason}")
    if lines and status == 1 and line in lines:
        return finish(None, "both report it")
    if not lines and status == 0:
        return finish(None, "neither reports anything")
    return finish(f"{kind}: sanitizers name the lines {lines}, Fenceline has status {status}, line {line}: {reason}", "WRONG")


ANSWERS, FAILURES = many_cases.run(case, 40)
if PLANT:
    print("the planted bug is found" if FAILURES else "the planted bug is not found")
    sys.exit(0 if FAILURES else 1)
REPORTED = sum(times for answer, times in ANSWERS.items() if answer.endswith("both report it"))
AGREED = sum(times for answer, times in ANSWERS.items() if answer.endswith("neither reports anything"))
if not REPORTED or not AGREED:
    print("nothing was compared")
sys.exit(1 if FAILURES or not REPORTED or not AGREED else 0)
