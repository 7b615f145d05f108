// SPDX-License-Identifier: GPL-3.0-or-later
//
// An MCS lock in which a thread marks its node as waiting after it has queued it: the previous owner may have passed on the
// lock before, and that is overwritten. FIXED: before.
//
// expect sc tso pso armv8 rc11, property liveness: violated
// expect sc tso pso armv8 rc11, property liveness, define FIXED: verified
#include <pthread.h>
#include <stdatomic.h>

struct node {
  struct node *_Atomic next;
  atomic_int waits;
};
struct node *_Atomic tail;
struct node nodes[2];

static void use(struct node *me) {
  atomic_store_explicit(&me->next, 0, memory_order_relaxed);
#ifdef FIXED
  atomic_store_explicit(&me->waits, 1, memory_order_relaxed);
#endif
  struct node *previous = atomic_exchange(&tail, me);
  if (previous) {
    atomic_store_explicit(&previous->next, me, memory_order_release);
#ifndef FIXED
    atomic_store_explicit(&me->waits, 1, memory_order_relaxed);
#endif
    while (atomic_load_explicit(&me->waits, memory_order_acquire)) {
    }
  }
  struct node *next = atomic_load_explicit(&me->next, memory_order_acquire);
  if (!next) {
    struct node *expected = me;
    if (atomic_compare_exchange_strong(&tail, &expected, 0)) return;
    while (!(next = atomic_load_explicit(&me->next, memory_order_acquire))) {
    }
  }
  atomic_store_explicit(&next->waits, 0, memory_order_release);
}

static void *first(void *unused) {
  use(&nodes[0]);
  return 0;
}
static void *second(void *unused) {
  use(&nodes[1]);
  return 0;
}

int main(void) {
  pthread_t a, b;
  pthread_create(&a, 0, first, 0);
  pthread_create(&b, 0, second, 0);
  pthread_join(a, 0);
  pthread_join(b, 0);
  return 0;
}
