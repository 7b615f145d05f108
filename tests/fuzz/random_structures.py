# SPDX-License-Identifier: GPL-3.0-or-later
"""Random C programs about what real lock-free code is made of: nodes and pointers to them, arrays whose index was loaded,
loops that retry a compare-exchange, locks, tickets; with address, data and control dependencies, and orders that may be
too weak. `text(rng)` returns one. An assertion at the end says that one outcome does not happen."""

HEAD = """#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stddef.h>
#define ld(v, o) atomic_load_explicit(&(v), memory_order_##o)
#define st(v, e, o) atomic_store_explicit(&(v), e, memory_order_##o)
#define xchg(v, e, o) atomic_exchange_explicit(&(v), e, memory_order_##o)
#define add(v, e, o) atomic_fetch_add_explicit(&(v), e, memory_order_##o)
#define weak(v, e, n, o) atomic_compare_exchange_weak_explicit(&(v), &(e), n, memory_order_##o, memory_order_relaxed)
#define strong(v, e, n, o) atomic_compare_exchange_strong_explicit(&(v), &(e), n, memory_order_##o, memory_order_relaxed)
struct node { _Atomic(struct node *) next; atomic_int value; int plain; };
struct pair { int first, second; };
static struct node nodes[3];
static _Atomic(struct node *) head;
static atomic_int x, y, f, table[2];
static int shared;
static struct pair both;
static int out[3][2];
"""


def statement(rng, thread):
    load = lambda: rng.choice(["relaxed", "acquire", "acquire", "seq_cst"])
    store = lambda: rng.choice(["relaxed", "release", "release", "seq_cst"])
    rmw = lambda: rng.choice(["relaxed", "acquire", "release", "acq_rel", "seq_cst"])
    register, cell = rng.choice("ab"), rng.choice(["x", "y", "table[0]", "table[1]"])
    publish = f"nodes[{thread}].plain = 1; st(nodes[{thread}].value, {rng.choice([1, 2])}, {store()});"
    return rng.choice([
        # a stack
        lambda: f"{{ struct node *top = ld(head, {load()}); {publish} do st(nodes[{thread}].next, top, relaxed); "
                f"while (!weak(head, top, &nodes[{thread}], {rmw()})); }}",
        lambda: f"{{ struct node *top = ld(head, {load()}); while (top && !{rng.choice(['weak', 'strong'])}(head, top, "
                f"ld(top->next, {load()}), {rmw()})) ; {register} = top ? ld(top->value, {load()}) : 0; }}",
        lambda: f"{{ struct node *top = xchg(head, NULL, {rmw()}); if (top) {register} = top->plain; }}",
        # messages
        lambda: f"{publish} st(head, &nodes[{thread}], {store()});",
        lambda: f"{{ struct node *n = ld(head, {load()}); if (n) {register} = {rng.choice(['n->plain', f'ld(n->value, {load()})'])}; }}",
        lambda: f"{{ struct node *n; while (!(n = ld(head, {load()}))) ; {register} = ld(n->value, {load()}); }}",
        # locks
        lambda: f"while (xchg(f, 1, {rng.choice(['relaxed', 'acquire', 'acquire'])})) ; shared = shared + 1; "
                f"{register} = shared; st(f, 0, {rng.choice(['relaxed', 'release', 'release'])});",
        lambda: f"for (;;) {{ int free = 0; if (weak(f, free, 1, {rng.choice(['relaxed', 'acquire', 'acquire'])})) break; "
                f"while (ld(f, relaxed)) ; }} {register} = shared; shared = {thread + 1}; st(f, 0, release);",
        lambda: f"{{ int mine = add(x, 1, {rmw()}); while (ld(y, {load()}) != mine) ; shared = shared + 1; "
                f"st(y, mine + 1, {store()}); }}",
        # counters that retry
        lambda: f"{{ int old = ld({cell}, {load()}); while (!weak({cell}, old, old + 1, {rmw()})) ; {register} = old; }}",
        lambda: f"{{ int old = 0; if (!strong({cell}, old, {thread + 1}, {rmw()})) {register} = old; }}",
        # dependencies
        lambda: f"{register} = ld(table[ld(x, {load()}) & 1], {load()});",
        lambda: f"st(table[{register} & 1], {rng.choice([1, 2])}, {store()});",
        lambda: f"st({cell}, ({register} ^ {register}) + 1, {store()});",
        lambda: f"if ({register} == {rng.choice([0, 1])}) st({cell}, 1, {store()});",
        lambda: f"st({cell}, {register} + 1, {store()});",
        # others
        lambda: f"for (int i = 0; i < 2; i++) {register} += ld(table[i], {load()});",
        lambda: f"for (int i = 0; i < 2; i++) st(table[i], i + 1, {store()});",
        lambda: f"{{ struct pair local = {{ld(x, {load()}), {register}}}; {register} = local.first + local.second; }}",
        lambda: f"while (ld({cell}, {load()}) == 0) ; {register} = {rng.choice(['shared', 'both.first'])};",
        lambda: f"{rng.choice(['shared', 'both.first', 'both.second'])} = 1; st({cell}, 1, {store()});",
        lambda: f"{register} = ld({cell}, {load()}); st({rng.choice(['x', 'y'])}, 1, {store()});",
        lambda: f"{register} = ld({cell}, {load()});",
        lambda: f"st({cell}, {rng.choice([0, 1, 2])}, {store()});",
        lambda: f"{register} = add({cell}, 1, {rmw()});",
        lambda: f"atomic_thread_fence(memory_order_{rng.choice(['acquire', 'release', 'acq_rel', 'seq_cst'])});",
        lambda: f"assert({register} != {rng.choice([1, 2, 2, 3])});",
    ])()


def text(rng):
    count = rng.choice([2, 2, 2, 3])
    result = HEAD
    for thread in range(count):
        lines = [statement(rng, thread) for _ in range(rng.randint(1, 3 if count == 2 else 2))]
        result += (f"static void *P{thread}(void *unused) {{\n  int a = 0, b = 0;\n  " + "\n  ".join(lines) +
                   f"\n  out[{thread}][0] = a;\n  out[{thread}][1] = b;\n  return unused;\n}}\n")
    result += f"int main(void) {{\n  pthread_t t[{count}];\n"
    result += "".join(f"  pthread_create(&t[{i}], 0, P{i}, 0);\n" for i in range(count))
    result += "".join(f"  pthread_join(t[{i}], 0);\n" for i in range(count))
    facts = [f"out[{rng.randrange(count)}][{rng.randrange(2)}] == {rng.choice([0, 1, 1, 2])}" for _ in range(rng.choice([1, 2, 2]))]
    return result + f"  assert(!({' && '.join(facts)}));\n  return 0;\n}}\n"
