#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-3.0-or-later
"""Random C programs whose bounds and sizes come from memory, compared with native runs.

    fuzz_constants.py PROGRAM [--count N] [--seed N] [--keep FOLDER] [--plant]

Variables, members of structures, elements of arrays and what pointers point to are set by set-up code and by threads:
directly, through pointers, by copies, by way of bit fields that are set one by one, on paths that depend on other
variables. They bound loops, some of which start threads, and are the sizes of arrays and allocations. Threads are
joined where they are started, so there is one execution; a checksum of all variables is what a native run and Fenceline
must agree on. What must be a constant and is none, since a thread may write it, is rejected, and counted. The same seed
makes the same programs. Those that fail are kept in FOLDER.

With --plant, what threads write is lost in the native run, as it would be if a variable that they write were taken for
a constant: then it is an error if no difference is found.
"""

import random

import checksums

HEAD = """#include <assert.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#ifdef PLANT
#define LATE(statement)
#else
#define LATE(statement) statement
#endif
struct pair { int a, b; };
struct bits { unsigned a : 2; int b : 3; unsigned c : 8, d : 3; };
static int countdown(int n) { return n <= 0 ? 1 : (countdown(n - 1) + n) & 3; }
static _Thread_local int own = 1;
"""

# Values are at most 3, so that every loop ends.
LOCATIONS = ["g0", "g1", "g2", "s0.a", "s0.b", "s1.a", "s1.b", "t[0]", "t[1]", "t[2]"]
THROUGH_POINTERS = ["*p", "q->a", "q->b", "*r"]


def location(rng):
    return rng.choice(LOCATIONS * 2 + THROUGH_POINTERS * 2 + ["own", "t[g0 & 1]"])


def value(rng, depth=0):
    kind = rng.random()
    if depth > 1 or kind < 0.3:
        return str(rng.randrange(4))
    if kind < 0.75:
        return location(rng)
    if kind < 0.8:
        return f"countdown({rng.randrange(5)})"
    return f"({value(rng, depth + 1)} {rng.choice('+-*^|')} {value(rng, depth + 1)} & 3)"


def statement(rng, depth=0):
    kind = rng.randrange(16 if depth < 2 else 6)
    if kind < 4:
        return f"{location(rng)} = {value(rng)} & 3;"
    if kind == 4:
        return rng.choice(["s0 = s1;", "s1 = s0;", "memcpy(&s0, q, sizeof s0);", "memset(&s1, 0, sizeof s1);", "*q = s0;"])
    if kind == 5:
        return rng.choice([f"p = &{rng.choice(LOCATIONS)};", f"q = &s{rng.randrange(2)};"])
    if kind < 8:
        return f"if ({value(rng)} & 1) {{ {statement(rng, depth + 1)} }} else {{ {statement(rng, depth + 1)} }}"
    if kind < 10:
        return f"for (int i = 0; i < {location(rng)}; i++) {{ {statement(rng, depth + 1)} }}"
    if kind < 11:
        return (f"{{ int n = {location(rng)} + 1, v[n]; v[n - 1] = {value(rng)}; {location(rng)} = v[n - 1] & 3; }}")
    if kind < 12:
        return (f"{{ int n = {location(rng)} + 1, *v = calloc(n, sizeof(int)); v[n - 1] = {value(rng)}; "
                f"{location(rng)} = (v[0] + v[n - 1]) & 3; }}")
    if kind < 14:
        return f"{statement(rng, depth + 1)} {statement(rng, depth + 1)}"
    return bit_fields(rng)


def bit_fields(rng):
    """A structure without initial values. Its fields are set one by one, in any order, and some are read."""
    variable, access = rng.choice([("v;", "v."), ("*v = malloc(sizeof(struct bits));", "v->")])
    fields = rng.sample("abcd", rng.randrange(1, 5))
    body = f"{{ struct bits {variable} "
    for i, field in enumerate(fields):
        body += f"{access}{field} = {rng.choice([value(rng), access + rng.choice(fields[:i] or ['0'])][:1 + (i > 0)])}; "
        if rng.random() < 0.3:
            body += f"{access}{field} {rng.choice('+-^|')}= {value(rng)}; "
    body += rng.choice(["", f"struct bits w = {access[:-1] if access == 'v.' else '*v'}; "])
    read = "w." if "w =" in body else access
    return body + f"{location(rng)} = ({' + '.join(read + rng.choice(fields) for _ in range(2))}) & 3; }}"


def late_statement(rng):
    """Of a thread. Few write, or little would be a constant."""
    if rng.random() < 0.5:
        return f"LATE({rng.choice(LOCATIONS + THROUGH_POINTERS)} = {value(rng)} & 3;)"
    return f"for (int i = 0; i < {location(rng)}; i++) own = (own + {value(rng)}) & 3;"


def text(rng):
    body = HEAD
    for name in ("g0", "g1", "g2"):
        body += f"static int {name} = {rng.randrange(1, 4)};\n"
    for name in ("s0", "s1"):
        body += f"static struct pair {name} = {{{rng.randrange(4)}, {rng.randrange(4)}}};\n"
    body += f"static int t[3] = {{{rng.randrange(4)}, {rng.randrange(4)}, 1}};\n"
    body += f"static int *p = &{rng.choice(LOCATIONS)}, *const r = &{rng.choice(LOCATIONS)};\n"
    body += f"static struct pair *q = &s{rng.randrange(2)};\n"
    threads = rng.choice([1, 2])
    for k in range(threads):
        lines = "\n  ".join(late_statement(rng) for _ in range(rng.choice([1, 1, 2])))
        body += f"static void *thread{k}(void *argument) {{\n  {lines}\n"
        body += f"  return (void *)(long)((own + *(int *)argument) & 3);\n}}\n"
    body += "static void set_up(int n) {\n"
    body += "".join(f"  {statement(rng)}\n" for _ in range(rng.choice([1, 3, 5])))
    body += f"  {rng.choice(LOCATIONS)} = n & 3;\n}}\n"
    body += "int main(int argc, char **argv) {\n  pthread_t t0;\n  void *result;\n"
    body += f"  set_up(argc + {rng.randrange(3)});\n"
    body += "".join(f"  {statement(rng)}\n" for _ in range(rng.choice([0, 1, 2])))
    for k in range(threads):
        body += f"  for (int i = 0; i < {rng.choice(LOCATIONS + ['2'])}; i++) {{\n"
        body += f"    pthread_create(&t0, 0, thread{k}, &{rng.choice(LOCATIONS)});\n    pthread_join(t0, &result);\n"
        body += f"    {rng.choice(['own', 'own', rng.choice(LOCATIONS)])} = (int)(long)result & 3;\n  }}\n"
        if rng.random() < 0.5:
            body += f"  {statement(rng, 1)}\n"
    body += "  unsigned sum = 0;\n"
    body += "".join(f"  sum = sum * 5 + {name};\n" for name in LOCATIONS + THROUGH_POINTERS + ["own"])
    return body + """#ifdef CHECKSUM
  assert(sum == CHECKSUM);
#else
  printf("%u\\n", sum);
#endif
  return 0;
}
"""


def excuse(status, reason, _):
    return f"rejected: {reason}" if status == 65 and "not a constant" in reason else None


def case(program, seed, folder):
    path = folder / f"constants_{seed}.c"
    path.write_text(text(random.Random(seed)))
    return checksums.compare(program, path, ["-O1", "-pthread"], ["--engine", "explicit"], ["-DPLANT"], excuse=excuse)


checksums.main(case)
