// SPDX-License-Identifier: GPL-3.0-or-later
//
// The queue lock of Mellor-Crummey and Scott with C11 atomics: who waits does so at a flag of its own. Two
// threads count once each, with a counter that is not atomic.
//
// The lock is handed over either through the flag (7, 3) or through the empty queue (5, 1). The link to the
// successor (2, 4, 6) carries no data: without its orders the flag may be lowered before it is raised, and
// then the successor waits for ever, but no thread enters too early. Waiting for ever is not checked here.
//
// expect sc tso rc11: verified
// expect sc tso, weaken 1 2 3 4 5 6 7: verified
// expect pso relaxed: verified
// expect relaxed, weaken 1 3 5 7: violated
// expect rc11, weaken 1 3 5 7: violated
// expect rc11, weaken 2 4 6: verified ?
#include <fenceline.h>
#include <pthread.h>
#include <stdatomic.h>

typedef struct node {
  _Atomic(struct node*) next;
  _Atomic int waiting;
} node_t;

_Atomic(node_t*) tail;
node_t nodes[2];
int counter;

static void lock(node_t* me) {
  atomic_store_explicit(&me->next, NULL, memory_order_relaxed);
  atomic_store_explicit(&me->waiting, 1, memory_order_relaxed);
  node_t* before = atomic_exchange_explicit(&tail, me, fl_order(1, memory_order_acq_rel));
  if (before == NULL) return;
  atomic_store_explicit(&before->next, me, fl_order(2, memory_order_release));
  fl_await(!atomic_load_explicit(&me->waiting, fl_order(3, memory_order_acquire)));
}

static void unlock(node_t* me) {
  node_t* behind = atomic_load_explicit(&me->next, fl_order(4, memory_order_acquire));
  if (behind == NULL) {
    node_t* expected = me;
    if (atomic_compare_exchange_strong_explicit(&tail, &expected, NULL, fl_order(5, memory_order_release),
                                                memory_order_relaxed))
      return;
    fl_await((behind = atomic_load_explicit(&me->next, fl_order(6, memory_order_acquire))) != NULL);
  }
  atomic_store_explicit(&behind->waiting, 0, fl_order(7, memory_order_release));
}

static void* worker(void* node) {
  lock(node);
  counter = counter + 1;
  unlock(node);
  return NULL;
}

int main(void) {
  pthread_t first, second;
  pthread_create(&first, NULL, worker, &nodes[0]);
  pthread_create(&second, NULL, worker, &nodes[1]);
  pthread_join(first, NULL);
  pthread_join(second, NULL);
  fl_assert(counter == 2);
  return 0;
}
