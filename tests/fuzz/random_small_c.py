# SPDX-License-Identifier: GPL-3.0-or-later
"""Random C programs that are small enough to enumerate their executions on every model.

Two threads, three at times, with a few atomic accesses of all orders: dependencies of data, control and address, also
through local variables, loops with a constant number of iterations, loops that end early or when a compare-exchange
succeeds, fences, and plain accesses behind a flag. What was read in the end goes to plain variables, and main asserts
that one outcome does not happen.
"""

LOADS = ["relaxed", "relaxed", "relaxed", "acquire", "seq_cst"]
STORES = ["relaxed", "relaxed", "relaxed", "release", "seq_cst"]
RMWS = ["relaxed", "relaxed", "acquire", "release", "acq_rel", "seq_cst"]
FENCES = ["acquire", "release", "acq_rel", "seq_cst"]

HEAD = """#include <fenceline.h>
#include <pthread.h>
#include <stdatomic.h>
#define ld(v, o) atomic_load_explicit(&(v), memory_order_##o)
#define st(v, e, o) atomic_store_explicit(&(v), e, memory_order_##o)
#define xchg(v, e, o) atomic_exchange_explicit(&(v), e, memory_order_##o)
#define add(v, e, o) atomic_fetch_add_explicit(&(v), e, memory_order_##o)
#define cas(v, e, n, o) atomic_compare_exchange_strong_explicit(&(v), &(e), n, memory_order_##o, memory_order_relaxed)
#define weak(v, e, n, o) atomic_compare_exchange_weak_explicit(&(v), &(e), n, memory_order_##o, memory_order_relaxed)
#define fence(o) atomic_thread_fence(memory_order_##o)
atomic_int x, y, v[2];
int plain;
"""


def load(rng, register, variable):
    return f"{register} = ld({variable}, {rng.choice(LOADS)});"


def store(rng, variable, value):
    return f"st({variable}, {value}, {rng.choice(STORES)});"


def read_modify_write(rng, register, variable):
    how = rng.choice(RMWS)
    return rng.choice([f"{register} = xchg({variable}, 1, {how});", f"{register} = add({variable}, 1, {how});",
                       f"{register} = 0; cas({variable}, {register}, 1, {how});",
                       f"{register} = 1; if (!cas({variable}, {register}, 2, {how})) {register} = 3;"])


def dependent_pair(rng, one, other):
    """A load, and what depends on it, or seems to."""
    first = load(rng, "a", one)
    return first + " " + rng.choice([
        store(rng, other, "a"), store(rng, other, "(a ^ a) + 1"), f"if (a == 1) {store(rng, other, 1)}",
        f"if (a == 1) fence({rng.choice(FENCES)}); {store(rng, other, 1)}", load(rng, "b", "v[a & 1]"),
        store(rng, "v[a & 1]", 1), f"if (a) {load(rng, 'b', other)}", f"int c = a + 1; {store(rng, other, 'c')}",
        f"b = a; {store(rng, other, 'b')}", f"if (a) b = 1; else b = 2; {store(rng, other, 'b')}",
        f"if (a == 1) b = plain; else {store(rng, other, 1)}"])


def loop(rng, one, other):
    return rng.choice([
        f"for (int i = 0; i < 2; i++) {load(rng, 'a', one)}",
        f"for (int i = 0; i < 2; i++) {store(rng, one, 'i + 1')}",
        f"for (int i = 0; i < 2; i++) {{ {load(rng, 'a', 'v[i]')} b += a; }}",
        f"for (int i = 0; i < 2 && !a; i++) {load(rng, 'a', one)} if (a) {store(rng, other, 1)}",
        f"for (int i = 0; i < 2; i++) {{ b = a; {load(rng, 'a', one)} if (a == b) break; }}",
        f"for (int i = 0; i < 2; i++) if (cas({one}, i, i + 1, {rng.choice(RMWS)})) break;",
        f"while (!weak({one}, a, a + 1, {rng.choice(RMWS)})) if (b++ == 1) break;",
        f"do {{ {load(rng, 'a', one)} }} while (a == 0 && b++ < 1); {store(rng, other, 'a')}"])


def statement(rng):
    one, other = rng.choice([("x", "y"), ("y", "x"), ("x", "x")])
    kind = rng.choices(["load", "store", "rmw", "pair", "loop", "fence", "plain"], [5, 6, 3, 6, 3, 3, 1])[0]
    if kind == "load":
        return load(rng, rng.choice("ab"), one)
    if kind == "store":
        return store(rng, one, rng.choice([1, 1, 2, "a", "b"]))
    if kind == "rmw":
        return read_modify_write(rng, rng.choice("ab"), one)
    if kind == "pair":
        return dependent_pair(rng, one, other)
    if kind == "loop":
        return loop(rng, one, other)
    if kind == "fence":
        return f"fence({rng.choice(FENCES)});"
    return rng.choice(["plain = 1;", f"plain = 1; {store(rng, one, 1)}", f"{load(rng, 'a', one)} if (a == 1) b = plain;"])


def text(rng):
    threads = rng.choice([2, 2, 2, 3])
    body, seen = HEAD, []
    for t in range(threads):
        lines = []
        while not any("=" in line or "st(" in line for line in lines):
            lines = [statement(rng) for _ in range(rng.choice([1, 2, 2] if threads == 2 else [1, 1, 2]))]
        whole = "\n  ".join(f"{{ {line} }}" for line in lines)
        written = [name for name in "ab" if f"{name} = " in whole or f"{name}++" in whole or f"{name} +=" in whole]
        seen += [f"{name}{t}" for name in written]
        body += "".join(f"int {name}{t};\n" for name in written)
        body += f"static void* thread{t}(void* unused) {{\n  int a = 0, b = 0;\n  {whole}\n  "
        body += " ".join(f"{name}{t} = {name};" for name in written) + "\n  return unused;\n}\n"
    names = rng.sample(seen, min(len(seen), rng.choice([1, 2, 2]))) + ["x"] * rng.choice([0, 0, 1])
    fact = " && ".join(f"{name} == {rng.choice([0, 1, 1, 2])}" for name in names) or "y == 2"
    body += f"int main(void) {{\n  pthread_t t[{threads}];\n"
    body += "".join(f"  pthread_create(&t[{t}], 0, thread{t}, 0);\n" for t in range(threads))
    body += "".join(f"  pthread_join(t[{t}], 0);\n" for t in range(threads))
    return body + f"  fl_assert(!({fact}));\n  return 0;\n}}\n"
