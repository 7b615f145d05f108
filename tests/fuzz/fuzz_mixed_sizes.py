#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-3.0-or-later
"""Random threads that access the same 8 bytes in pieces of different sizes, against machines that are executed here.

    fuzz_mixed_sizes.py PROGRAM [--count N] [--seed N] [--keep FOLDER] [--plant halves|elements]

Two or three threads load, store, exchange, add to and compare-exchange 1, 2, 4 or 8 bytes of one word, or all 16 bytes
of two, with relaxed atomics; some plain accesses of 2 or 4 bytes are not aligned, and are made byte by byte here, from
either end; others are to elements of packed arrays, where an index decides whether they are aligned. All outcomes, what
the threads have read and what memory holds in the end, are found by executing SC, where each access is one step on an
array of bytes, and TSO, where a store waits in a first-in-first-out buffer as a whole and loads find the youngest
pending store byte by byte. Then Fenceline has to find each of some outcomes (`violated`: the program asserts that it is
none) if it is one, and none that is not (`verified`). On armv8 and rc11, which are weaker than TSO for such programs, it
has to find what TSO has; on the smallest programs the engines sat and enumeration have to agree.

It is an error if no difference is found with a planted bug of the machines here: with `--plant halves` pending stores
are flushed half by half, with `--plant elements` all accesses to elements are made byte by byte.
"""

import itertools
import pathlib
import random
import subprocess
import sys

import many_cases

PLANT = None
if "--plant" in sys.argv:
    at = sys.argv.index("--plant")
    PLANT = sys.argv[at + 1]
    assert PLANT in ("halves", "elements")
    del sys.argv[at:at + 2]

PATIENCE = 3600  # s: a slow machine is no failure
SIZES = [1, 2, 4, 8]
MEMBERS = {1: "b", 2: "h", 4: "w", 8: "d"}
VERDICTS = {0: "verified", 1: "violated", 2: "unknown"}


class Access:
    def __init__(self, rng, wide):
        self.size = 16 if wide and rng.random() < 0.4 else rng.choice(SIZES)
        self.at = 0 if self.size == 16 else rng.randrange(0, (16 if wide else 8) // self.size)
        self.kind = rng.choice(["load", "load", "store", "store", "xchg", "cas"] + (["add"] if self.size < 16 else []))
        self.torn = rng.random() < 0.15
        if self.torn:
            self.size, self.kind = rng.choice([2, 4]), rng.choice(["load", "store"])
            self.at = rng.choice([at for at in range((16 if wide else 8) - self.size + 1) if at % self.size])
        self.index = ""  # of an array of packed structures, of which some are aligned
        if not self.torn and rng.random() < 0.15:
            self.size, self.kind = rng.choice([2, 4]), rng.choice(["load", "store"])
            number = rng.randrange(((16 if wide else 8) - self.size) // (3 * self.size // 2) + 1)
            self.at = number * 3 * self.size // 2
            self.torn = self.at % self.size != 0 or PLANT == "elements"
            if not self.torn:
                self.at //= self.size
            self.index, self.element = rng.choice(["K", "K & 7"]), number
        self.value = int.from_bytes(bytes(rng.randrange(1, 4) for _ in range(self.size)), "little")
        # What memory may hold at that time, with some luck.
        self.expected = rng.choice([0, 0, int.from_bytes(bytes([rng.randrange(1, 4)] * self.size), "little")])

    def reads(self):
        return self.kind != "store"

    def writes(self, old):
        """What is stored; None if nothing is."""
        if self.kind == "load" or (self.kind == "cas" and old != self.expected):
            return None
        if self.kind == "add":
            return (old + self.value) % 256**self.size
        return self.value

    def place(self):
        return self.at * (1 if self.torn else self.size)

    def number(self, value):
        if self.size < 16:
            return f"{value:#x}u" + ("ll" if self.size == 8 else "")
        return f"(((unsigned __int128){value >> 64:#x}ull << 64) | {value % 2**64:#x}ull)"

    def text(self, result):
        address = "(unsigned __int128 *)&m" if self.size == 16 else f"&m.{MEMBERS[self.size]}[{self.at}]"
        order = "__ATOMIC_RELAXED"
        if self.torn or self.index:
            member = f"((struct torn *)((char *)&m + {self.at}))->{MEMBERS[self.size]}"
            if self.index:
                index = self.index.replace("K", f"__atomic_load_n(&k{result[1:]}, __ATOMIC_RELAXED)")
                member = f"((struct element{self.size} *)&m)[{index}].{MEMBERS[self.size]}"
            return f"{result} = {member};" if self.kind == "load" else f"{member} = {self.number(self.value)};"
        if self.kind == "load":
            return f"{result} = __atomic_load_n({address}, {order});"
        if self.kind == "store":
            return f"__atomic_store_n({address}, {self.number(self.value)}, {order});"
        if self.kind == "xchg":
            return f"{result} = __atomic_exchange_n({address}, {self.number(self.value)}, {order});"
        if self.kind == "add":
            return f"{result} = __atomic_fetch_add({address}, {self.number(self.value)}, {order});"
        return (f"{result} = {self.number(self.expected)}; __atomic_compare_exchange_n({address}, &{result}, "
                f"{self.number(self.value)}, 0, {order}, {order});")


class Byte:
    """A part of an access that is torn."""

    def __init__(self, access, i):
        self.size, self.kind, self.address, self.value = 1, access.kind, access.place() + i, access.value >> (8 * i) & 255

    def reads(self):
        return self.kind == "load"

    def writes(self, old):
        return self.value if self.kind == "store" else None

    def place(self):
        return self.address


def outcomes(threads, buffered):
    """All pairs of what the threads read and what memory holds in the end."""
    found = set()
    torn = [access for accesses in threads for access in accesses if access.torn]
    for directions in itertools.product([1, -1], repeat=len(torn)):
        order = {access: range(access.size)[::step] for access, step in zip(torn, directions)}
        steps = [[step for access in accesses
                  for step in ([Byte(access, i) for i in order[access]] if access.torn else [access])] for accesses in threads]
        for reads, memory in outcomes_of_steps(steps, buffered):
            whole = []
            for accesses, values in zip(threads, reads):
                values, numbers = list(values), []
                for access in filter(Access.reads, accesses):
                    parts = order[access] if access.torn else [0]
                    numbers.append(sum(values.pop(0) << (8 * i) for i in parts))
                whole.append(tuple(numbers))
            found.add((tuple(whole), memory))
    return found


def outcomes_of_steps(threads, buffered):
    found, seen = set(), set()
    todo = [(bytes(16), tuple((0, (), ()) for _ in threads))]
    while todo:
        state = todo.pop()
        if state in seen:
            continue
        seen.add(state)
        memory, locals_ = state
        ended = True
        for t, (at, read, pending) in enumerate(locals_):
            def go(memory, local):
                todo.append((memory, locals_[:t] + (local,) + locals_[t + 1:]))

            if pending:
                ended = False
                place, data = pending[0]
                if PLANT == "halves" and len(data) > 1:
                    half = len(data) // 2
                    rest = ((place + half, data[half:]),) + pending[1:]
                    go(memory[:place] + data[:half] + memory[place + half:], (at, read, rest))
                else:
                    go(memory[:place] + data + memory[place + len(data):], (at, read, pending[1:]))
            if at == len(threads[t]):
                continue
            ended = False
            access = threads[t][at]
            if pending and access.kind in ("xchg", "add", "cas"):
                continue  # these wait until the buffer is empty
            view = bytearray(memory)
            for place, data in pending:
                view[place:place + len(data)] = data
            place = access.place()
            old = int.from_bytes(view[place:place + access.size], "little")
            read_now = read + ((old,) if access.reads() else ())
            new = access.writes(old)
            if new is None:
                go(memory, (at + 1, read_now, pending))
                continue
            data = new.to_bytes(access.size, "little")
            if buffered and access.kind == "store":
                go(memory, (at + 1, read_now, pending + ((place, data),)))
            else:
                go(memory[:place] + data + memory[place + access.size:], (at + 1, read_now, pending))
        if ended:
            found.add((tuple(read for _, read, _ in locals_), memory))
    return found


def program_text(threads, wide):
    lines = ["#include <assert.h>", "#include <pthread.h>", "#include <stdint.h>",
             "struct torn { union { uint16_t h; uint32_t w; }; } __attribute__((packed, may_alias));",
             "struct element2 { uint16_t h; uint8_t b; } __attribute__((packed, may_alias));",
             "struct element4 { uint32_t w; uint16_t h; } __attribute__((packed, may_alias));",
             "union { uint8_t b[16]; uint16_t h[8]; uint32_t w[4]; uint64_t d[2]; } m __attribute__((aligned(16)));"]
    names = []
    for t, accesses in enumerate(threads):
        names.append([])
        body = []
        for i, access in enumerate(accesses):
            name = f"r{t}_{i}"
            type_ = "unsigned __int128" if access.size == 16 else f"uint{8 * access.size}_t"
            if access.reads():
                lines.append(f"{type_} {name};")
                names[-1].append((f"{name}", access))
            if access.index:  # main writes it, so it is no constant
                lines.append(f"unsigned k{t}_{i} = {access.element};")
            body.append(f"  {type_} x{t}_{i}; " + access.text(f"x{t}_{i}")
                        + (f" {name} = x{t}_{i};" if access.reads() else ""))
        lines += [f"void *t{t}(void *unused) {{", *body, "  return unused;", "}"]
    count = len(threads)
    lines += ["int main(void) {", f"  pthread_t t[{count}];"]
    lines += [f"  pthread_create(&t[{t}], 0, t{t}, 0);" for t in range(count)]
    lines += [f"  pthread_join(t[{t}], 0);" for t in range(count)]
    lines += [f"  __atomic_store_n(&k{t}_{i}, 0, __ATOMIC_RELAXED);"
              for t, accesses in enumerate(threads) for i, access in enumerate(accesses) if access.index]
    lines += ["  assert(!(OUTCOME));", "  return 0;", "}"]
    return "\n".join(lines) + "\n", names


def condition(outcome, names, wide):
    reads, memory = outcome
    parts = [f"{name} == {access.number(value)}"
             for thread, values in zip(names, reads) for (name, access), value in zip(thread, values)]
    parts += [f"m.d[{i}] == {int.from_bytes(memory[8 * i:8 * i + 8], 'little'):#x}ull" for i in range(2 if wide else 1)]
    return " && ".join(parts)


def check(program, path, model, outcome, engine="auto"):
    words = [program, "check", str(path), "--model", model, "--engine", engine, "--timeout", "60", "-D", f"OUTCOME={outcome}"]
    result = subprocess.run(words, capture_output=True, text=True, stdin=subprocess.DEVNULL, timeout=PATIENCE)
    return result.returncode, (result.stderr + result.stdout)[:500]


def case(program, seed, folder):
    rng = random.Random(seed)
    wide = rng.random() < 0.3
    threads = [[Access(rng, wide) for _ in range(rng.randrange(1, 4))] for _ in range(rng.choice([2, 2, 3]))]
    steps = [sum(access.size if access.torn else 1 for access in accesses) for accesses in threads]
    while sum(map(len, threads)) > 6 or sum(steps) > 10:
        longest = steps.index(max(steps))
        access = threads[longest].pop()
        steps[longest] -= access.size if access.torn else 1
    path = folder / f"mixed_{seed}.c"
    text, names = program_text(threads, wide)
    path.write_text(text)
    sets = {"sc": outcomes(threads, False), "tso": outcomes(threads, True)}
    everything = sorted(sets["sc"] | sets["tso"])
    tried = rng.sample(everything, min(2, len(everything)))
    # One that differs from an outcome in one byte, and one in which a number has bytes of two: few of these are outcomes.
    for mixed in (False, True):
        (reads, memory), (others, _) = rng.choice(everything), rng.choice(everything)
        flat = [(t, i) for t, values in enumerate(reads) for i in range(len(values))]
        if flat:
            t, i = rng.choice([at for at in flat if names[at[0]][at[1]][1].index] or flat)
            low = 256**rng.randrange(names[t][i][1].size)
            other = reads[t][i] % low + others[t][i] // low * low if mixed else reads[t][i] ^ (rng.randrange(1, 4) * low)
            reads = reads[:t] + (reads[t][:i] + (other,) + reads[t][i + 1:],) + reads[t + 1:]
        tried.append((reads, memory))
    answers = []
    for outcome in tried:
        claim = condition(outcome, names, wide)
        for model in sets:
            status, text = check(program, path, model, claim)
            answers.append(f"{model}: {VERDICTS.get(status, status)}")
            if status == 2:
                continue
            if status != (1 if outcome in sets[model] else 0):
                return f"{model}: status {status} for {claim}, which is {'' if outcome in sets[model] else 'not '}possible: {text}", \
                    answers
        for model in ("armv8", "rc11"):
            status, text = check(program, path, model, claim, "sat")
            answers.append(f"{model}: {VERDICTS.get(status, status)}")
            if status == 2:
                continue
            if status not in (0, 1) or (status == 0 and outcome in sets["tso"] and not PLANT):
                return f"{model}: status {status} for {claim}, which TSO has: {text}", answers
            if sum(map(len, threads)) > 2 or wide:
                continue  # there would be too many executions
            other, text = check(program, path, model, claim, "enumeration")
            answers.append(f"{model} enumerated: {VERDICTS.get(other, other)}")
            if other != 2 and other != status:
                return f"{model}: status {status} by sat and {other} by enumeration for {claim}: {text}", answers
    path.unlink()
    return None, answers


ANSWERS, FAILURES = many_cases.run(case, 20)
if PLANT:
    print("the planted bug is found" if FAILURES else "the planted bug is not found")
    sys.exit(0 if FAILURES else 1)
sys.exit(1 if FAILURES or not ANSWERS["sc: violated"] or not ANSWERS["tso: verified"] else 0)
