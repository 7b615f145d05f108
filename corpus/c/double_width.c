// SPDX-License-Identifier: GPL-3.0-or-later
//
// A stack whose top is a pointer and a counter, both exchanged at once (cmpxchg16b, casp): the counter tells whether the
// top was popped and pushed again in between. Without it (ABA) a popped node comes back.
//
// expect sc tso armv8 rc11: verified
// expect sc tso armv8 rc11, define NO_COUNTER: violated
#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>

struct node {
  _Atomic(struct node *) next;
};
struct top {
  struct node *node;
  unsigned long count;
};
_Atomic struct top stack;
struct node nodes[2];
_Atomic int popped[2];

static void push(struct node *node) {
  struct top old = atomic_load_explicit(&stack, memory_order_relaxed), fresh;
  do {
    atomic_store_explicit(&node->next, old.node, memory_order_relaxed);
    fresh.node = node;
    fresh.count = old.count;
  } while (!atomic_compare_exchange_strong_explicit(&stack, &old, fresh, memory_order_release, memory_order_relaxed));
}

static struct node *pop(void) {
  struct top old = atomic_load_explicit(&stack, memory_order_acquire), fresh;
  do {
    if (old.node == 0) return 0;
    fresh.node = atomic_load_explicit(&old.node->next, memory_order_relaxed);
#ifdef NO_COUNTER
    fresh.count = old.count;
#else
    fresh.count = old.count + 1;
#endif
  } while (!atomic_compare_exchange_strong_explicit(&stack, &old, fresh, memory_order_acquire, memory_order_acquire));
  return old.node;
}

static void *takes(void *unused) {
  struct node *node = pop();
  if (node != 0) assert(atomic_fetch_add_explicit(&popped[node - nodes], 1, memory_order_relaxed) == 0);
  return unused;
}

static void *takes_and_returns(void *unused) {
  struct node *first = pop(), *second = pop();
  if (second != 0) assert(atomic_fetch_add_explicit(&popped[second - nodes], 1, memory_order_relaxed) == 0);
  if (first != 0) push(first);
  struct node *again = pop();
  if (again != 0) assert(atomic_fetch_add_explicit(&popped[again - nodes], 1, memory_order_relaxed) == 0);
  return unused;
}

int main(void) {
  push(&nodes[1]);
  push(&nodes[0]);
  pthread_t a, b;
  pthread_create(&a, 0, takes, 0);
  pthread_create(&b, 0, takes_and_returns, 0);
  pthread_join(a, 0);
  pthread_join(b, 0);
  return 0;
}
