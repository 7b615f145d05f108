#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-3.0-or-later
"""Litmus tests on the processor: every outcome that this machine shows is one that the model of x86 allows.

    native_litmus.py PROGRAM [--count N] [--seed N] [--rounds N] [--plant] [--keep FOLDER]

The well-known shapes, then N random tests. Each is executed natively in two forms, as instructions (inline assembly) and as
C11 atomics that a compiler has translated, thousands of times, with threads that meet before each instance and with threads
that do not. They are compared with Fenceline: the outcomes of the instructions must be among the final states of the same test under
x86tso, and for each outcome of the C program `check --model tso` must find an execution that has it.

Which outcomes show up depends on the machine, so nothing is required of the shapes that a weak outcome would show. --plant
takes an outcome that was observed out of those that are allowed, in each comparison, and demands that both are reported.
"""

import argparse
import json
import os
import pathlib
import platform
import random
import subprocess
import sys
import tempfile

REGISTERS = ["EAX", "EBX", "ECX", "EDX"]
LOCATIONS = ["x", "y", "z"]

# Operations: W location value, R location, F (a full fence), X location value (an exchange), A location value (an addition
# that returns the old value). R, X and A each fill the next register of their thread.
SHAPES = {
    "SB": "W x 1; R y | W y 1; R x",
    "SB+mfences": "W x 1; F; R y | W y 1; F; R x",
    "SB+mfence+po": "W x 1; F; R y | W y 1; R x",
    "SB+xchgs": "X x 1; R y | X y 1; R x",
    "SB+xchg-elsewhere": "W x 1; X z 1; R y | W y 1; A z 1; R x",
    "SB+own-reads": "W x 1; R x; R y | W y 1; R y; R x",
    "MP": "W x 1; W y 1 | R y; R x",
    "LB": "R x; W y 1 | R y; W x 1",
    "2+2W": "W x 1; W y 2 | W y 1; W x 2",
    "R": "W x 1; W y 1 | W y 2; R x",
    "R+mfences": "W x 1; F; W y 1 | W y 2; F; R x",
    "S": "W x 2; W y 1 | R y; W x 1",
    "CoRR": "W x 1 | R x; R x",
    "CoWR": "W x 1; R x | W x 2",
    "IRIW": "W x 1 | W y 1 | R x; R y | R y; R x",
    "WRC": "W x 1 | R x; W y 1 | R y; R x",
    "counter": "A x 1; R x | A x 1; R x | A x 1",
    "exchanges": "X x 1; R y | X x 2; W y 1",
}


def parse(text):
    return [[tuple(operation.split()) for operation in thread.split(";")] for thread in text.split("|")]


def random_test(rng):
    threads = []
    locations = LOCATIONS[: rng.choice([2, 2, 3])]
    value = 0
    for _ in range(rng.choice([2, 2, 2, 3])):
        operations = []
        for _ in range(rng.choice([2, 3, 3, 4])):
            kind = rng.choice("WWWRRRRFXA")
            value += kind in "WXA"
            if kind == "F":
                operations.append(("F",))
            elif kind == "R":
                operations.append(("R", rng.choice(locations)))
            else:
                operations.append((kind, rng.choice(locations), str(value)))
        threads.append(operations)
    return threads


def locations_of(test):
    return sorted({operation[1] for thread in test for operation in thread if operation[0] != "F"})


def reads_of(thread):
    return [operation for operation in thread if operation[0] in "RXA"]


def observed_of(test):
    """What an outcome consists of, as Fenceline calls it, in the order in which the native program prints it."""
    registers = [f"{t}:{REGISTERS[i]}" for t, thread in enumerate(test) for i in range(len(reads_of(thread)))]
    return registers + [f"[{location}]" for location in locations_of(test)]


# ---- As Fenceline reads it


def litmus_text(name, test):
    columns = []
    for thread in test:
        lines, registers = [], iter(REGISTERS)
        for kind, *rest in thread:
            if kind == "F":
                lines.append("MFENCE")
            elif kind == "W":
                lines.append(f"MOV [{rest[0]}],${rest[1]}")
            elif kind == "R":
                lines.append(f"MOV {next(registers)},[{rest[0]}]")
            else:
                register = next(registers)
                lines += [f"MOV {register},${rest[1]}", f"{'XCHG' if kind == 'X' else 'LOCK XADD'} [{rest[0]}],{register}"]
        columns.append(lines)
    depth = max(map(len, columns))
    rows = [" | ".join(lines[i] if i < len(lines) else "" for lines in columns) for i in range(depth)]
    head = " | ".join(f"P{i}" for i in range(len(test)))
    start = " ".join(f"{location}=0;" for location in locations_of(test))
    observed = " ".join(f"{one};" for one in observed_of(test)).replace("[", "").replace("]", "")
    return f"X86 {name}\n{{ {start} }}\n" + "".join(f" {row} ;\n" for row in [head] + rows) + f"locations [{observed}]\nexists (true)\n"


def c_statement(operation, register, at):
    kind, *rest = operation
    if kind == "F":
        return "atomic_thread_fence(memory_order_seq_cst);"
    location = at(rest[0])
    if kind == "W":
        return f"atomic_store_explicit({location}, {rest[1]}, memory_order_relaxed);"
    if kind == "R":
        return f"{register} = atomic_load_explicit({location}, memory_order_relaxed);"
    function = "atomic_exchange_explicit" if kind == "X" else "atomic_fetch_add_explicit"
    return f"{register} = {function}({location}, {rest[1]}, memory_order_seq_cst);"


def asm_statement(operation, register, at):
    kind, *rest = operation
    if kind == "F":
        return 'asm volatile("mfence" ::: "memory");'
    location = f"*(volatile int *){at(rest[0])}"
    if kind == "W":
        return f'asm volatile("movl %1, %0" : "=m"({location}) : "i"({rest[1]}) : "memory");'
    if kind == "R":
        return f'asm volatile("movl %1, %0" : "=r"({register}) : "m"({location}) : "memory");'
    instruction = "xchgl" if kind == "X" else "lock xaddl"
    return f'{register} = {rest[1]}; asm volatile("{instruction} %0, %1" : "+r"({register}), "+m"({location}) :: "memory");'


def check_text(test, outcome):
    """A C program whose assertion fails where an execution ends in the outcome."""
    text = "#include <assert.h>\n#include <pthread.h>\n#include <stdatomic.h>\n\n"
    for location in locations_of(test):
        text += f"atomic_int {location};\n"
    facts = []
    values = iter(outcome)
    for t, thread in enumerate(test):
        names = [f"r{t}_{i}" for i in range(len(reads_of(thread)))]
        text += "".join(f"int {name};\n" for name in names)
        facts += [f"{name} == {next(values)}" for name in names]
        left = iter(names)
        text += f"static void *thread{t}(void *unused) {{\n"
        for operation in thread:
            name = next(left) if operation[0] in "RXA" else None
            text += f"  {c_statement(operation, name, lambda location: '&' + location)}\n"
        text += "  return unused;\n}\n"
    facts += [f"atomic_load_explicit(&{location}, memory_order_relaxed) == {next(values)}" for location in locations_of(test)]
    text += "int main(void) {\n"
    count = len(test)
    text += "".join(f"  pthread_t t{t};\n  pthread_create(&t{t}, 0, thread{t}, 0);\n" for t in range(count))
    text += "".join(f"  pthread_join(t{t}, 0);\n" for t in range(count))
    return text + f"  assert(!({' && '.join(facts)}));\n  return 0;\n}}\n"


# ---- As the machine executes it

HARNESS = r"""
#define _GNU_SOURCE
#include <pthread.h>
#include <sched.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { INSTANCES = 512, LINE = 64, MOST_THREADS = 4, MOST_LOCATIONS = 3, MOST_REGISTERS = 4 };

typedef struct { _Alignas(LINE) atomic_int value; } cell;
typedef struct {
  cell at[MOST_LOCATIONS];
  struct { _Alignas(LINE) int r[MOST_REGISTERS]; } of[MOST_THREADS];
  _Alignas(LINE) atomic_int arrived;
} instance;
static instance all[INSTANCES];
typedef void body(instance *);
typedef struct {
  const char *name;
  int threads, locations, registers[MOST_THREADS];
  body *code[MOST_THREADS];
} test;

@BODIES@
static const test tests[] = {
@TESTS@};

static const test *now;
static int meeting, placed;
static pthread_barrier_t begin, end;
static atomic_int over;

static void pin(int thread) {
  cpu_set_t set;
  CPU_ZERO(&set);
  CPU_SET(thread % sysconf_cores(), &set);
  pthread_setaffinity_np(pthread_self(), sizeof set, &set);
}

static void anywhere(void) {
  cpu_set_t set;
  CPU_ZERO(&set);
  for (int i = 0; i < sysconf_cores(); ++i) CPU_SET(i, &set);
  pthread_setaffinity_np(pthread_self(), sizeof set, &set);
}

static void *worker(void *argument) {
  const int me = (int)(long)argument;
  for (;;) {
    pthread_barrier_wait(&begin);
    if (atomic_load(&over)) return 0;
    if (placed) pin(me); else anywhere();
    for (int i = 0; i < INSTANCES; ++i) {
      instance *one = &all[i];
      if (meeting) {  /* the threads begin together, if the others come within a moment */
        atomic_fetch_add(&one->arrived, 1);
        for (int spin = 0; spin < 300 && atomic_load_explicit(&one->arrived, memory_order_relaxed) < now->threads; ++spin) {}
      }
      now->code[me](one);
    }
    pthread_barrier_wait(&end);
  }
}

typedef struct { int values[MOST_THREADS * MOST_REGISTERS + MOST_LOCATIONS]; long times; } outcome;

static void run(const test *which, int rounds) {
  static outcome seen[4096];
  int known = 0, width = which->locations;
  for (int t = 0; t < which->threads; ++t) width += which->registers[t];
  now = which;
  atomic_store(&over, 0);
  pthread_barrier_init(&begin, 0, (unsigned)which->threads + 1);
  pthread_barrier_init(&end, 0, (unsigned)which->threads + 1);
  pthread_t threads[MOST_THREADS];
  for (long t = 0; t < which->threads; ++t) pthread_create(&threads[t], 0, worker, (void *)t);
  for (int round = 0; round < rounds; ++round) {
    meeting = round % 2 == 0, placed = round / 2 % 2 == 0;
    memset(all, 0, sizeof all);
    pthread_barrier_wait(&begin);
    pthread_barrier_wait(&end);
    for (int i = 0; i < INSTANCES; ++i) {
      outcome found = {{0}, 0};
      int n = 0;
      for (int t = 0; t < which->threads; ++t)
        for (int r = 0; r < which->registers[t]; ++r) found.values[n++] = all[i].of[t].r[r];
      for (int l = 0; l < which->locations; ++l) found.values[n++] = atomic_load(&all[i].at[l].value);
      int at = 0;
      while (at < known && memcmp(seen[at].values, found.values, sizeof found.values) != 0) ++at;
      if (at == known) {
        if (known == sizeof seen / sizeof *seen) abort();
        seen[known++] = found;
      }
      ++seen[at].times;
    }
  }
  atomic_store(&over, 1);
  pthread_barrier_wait(&begin);
  for (int t = 0; t < which->threads; ++t) pthread_join(threads[t], 0);
  for (int i = 0; i < known; ++i) {
    printf("%s", which->name);
    for (int n = 0; n < width; ++n) printf(" %d", seen[i].values[n]);
    printf(" : %ld\n", seen[i].times);
  }
}

int main(int count, char **words) {
  for (size_t i = 0; i < sizeof tests / sizeof *tests; ++i) run(&tests[i], count > 1 ? atoi(words[1]) : 1);
  return 0;
}
"""


def native_text(tests, statement):
    bodies, rows = "static int sysconf_cores(void) { return %d; }\n" % (os.cpu_count() or 1), ""
    for number, (name, test) in enumerate(tests.items()):
        index = {location: i for i, location in enumerate(locations_of(test))}
        at = lambda location: f"&one->at[{index[location]}].value"
        codes, registers = [], []
        for t, thread in enumerate(test):
            reads = len(reads_of(thread))
            bodies += f"static void body{number}_{t}(instance *one) {{\n"
            bodies += "".join(f"  int r{i};\n" for i in range(reads))
            left = iter(range(reads))
            for operation in thread:
                register = f"r{next(left)}" if operation[0] in "RXA" else None
                bodies += f"  {statement(operation, register, at)}\n"
            bodies += "".join(f"  one->of[{t}].r[{i}] = r{i};\n" for i in range(reads)) + "}\n"
            codes.append(f"body{number}_{t}")
            registers.append(str(reads))
        rows += f'  {{"{name}", {len(test)}, {len(index)}, {{{", ".join(registers)}}}, {{{", ".join(codes)}}}}},\n'
    return HARNESS.replace("@BODIES@", bodies).replace("@TESTS@", rows)


def observe(folder, name, text, rounds):
    """Outcomes by test, of a native program."""
    source, binary = folder / f"{name}.c", folder / name
    source.write_text(text, encoding="utf-8")
    for compiler in ("clang-19", "cc"):  # Fenceline needs the first
        try:
            subprocess.run([compiler, "-O2", "-pthread", "-o", str(binary), str(source)], check=True)
            break
        except FileNotFoundError:
            continue
    else:
        raise SystemExit("there is no C compiler")
    printed = subprocess.run([str(binary), str(rounds)], stdout=subprocess.PIPE, text=True, check=True).stdout
    found = {}
    for line in printed.splitlines():
        test, *values = line.split(" : ")[0].split()
        found.setdefault(test, set()).add(tuple(map(int, values)))
    return found


# ---- The comparison


def final_states(program, folder, tests, model):
    tests_folder = folder / f"tests-{model}"
    tests_folder.mkdir()
    names = {}
    for number, (name, test) in enumerate(tests.items()):
        names[f"N{number}"] = name
        (tests_folder / f"{number:04}.litmus").write_text(litmus_text(f"N{number}", test), encoding="utf-8")
    result = subprocess.run(
        [program, "litmus", "--model", model, "--json", "-", str(tests_folder)], stdout=subprocess.PIPE, text=True, check=True
    )
    allowed = {}
    for one in json.loads(result.stdout)["litmus"]:
        name = names[one["test"]]
        assert one["complete"], one["reason"]
        columns = observed_of(tests[name])
        allowed[name] = {tuple(int(state["values"][column]) for column in columns) for state in one["states"]}
    assert allowed.keys() == tests.keys()
    return allowed


def has_execution(program, folder, test, outcome):
    path = folder / "outcome.c"
    path.write_text(check_text(test, outcome), encoding="utf-8")
    result = subprocess.run(
        [program, "check", "--model", "tso", "--quiet", str(path)], stdout=subprocess.PIPE, text=True, check=False
    )
    return result.returncode == 1


def words_for(test, outcome):
    return "; ".join(f"{name}={value}" for name, value in zip(observed_of(test), outcome))


def main():
    arguments = argparse.ArgumentParser()
    arguments.add_argument("program")
    arguments.add_argument("--count", type=int, default=20)
    arguments.add_argument("--seed", type=int, default=1)
    arguments.add_argument("--rounds", type=int, default=40)
    arguments.add_argument("--plant", action="store_true")
    arguments.add_argument("--keep", metavar="FOLDER")
    options = arguments.parse_args()
    if platform.machine() not in ("x86_64", "AMD64"):
        print(f"skipped: this machine is no x86 ({platform.machine()})")
        return 0
    tests = {name: parse(text) for name, text in SHAPES.items()}
    rng = random.Random(options.seed)
    tests |= {f"random{options.seed}.{i}": random_test(rng) for i in range(options.count)}
    with tempfile.TemporaryDirectory(prefix="native ") as scratch:
        folder = pathlib.Path(options.keep or scratch)
        folder.mkdir(parents=True, exist_ok=True)
        by_asm = observe(folder, "asm", native_text(tests, asm_statement), options.rounds)
        by_c = observe(folder, "atomics", native_text(tests, c_statement), options.rounds)
        allowed = final_states(options.program, folder, tests, "x86tso")
        strong = final_states(options.program, folder, tests, "sc")
        planted = {}  # by comparison
        if options.plant:
            planted = {"x86tso": ("SB", min(by_asm["SB"])), "check": ("MP", min(by_c["MP"]))}
            allowed["SB"].discard(planted["x86tso"][1])
        problems = set()
        for name, test in tests.items():
            problems |= {("x86tso", name, outcome) for outcome in by_asm[name] - allowed[name]}
            for outcome in by_c[name]:
                if planted.get("check") == (name, outcome) or not has_execution(options.program, folder, test, outcome):
                    problems.add(("check", name, outcome))
    for way, name, outcome in sorted(problems):
        print(f"{name}: this machine has shown {words_for(tests[name], outcome)}, which {way} does not allow")
    total = lambda sets: sum(len(outcomes) for outcomes in sets.values())
    weak = sum(len(by_asm[name] - strong[name]) for name in tests)
    print(
        f"{len(tests)} tests: {total(by_asm)} outcomes of instructions and {total(by_c)} of C programs observed, "
        f"{total(allowed)} are allowed; {weak} of the former are not sequentially consistent"
    )
    if options.plant:
        return 0 if problems == {(way, *what) for way, what in planted.items()} else 1
    return 1 if problems else 0


if __name__ == "__main__":
    sys.exit(main())
