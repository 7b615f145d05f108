// SPDX-License-Identifier: GPL-3.0-or-later
//
// Queue lock of Mellor-Crummey and Scott: each thread waits at a flag of its own, which its predecessor clears.
// N threads take the lock once and increment a counter that is not atomic.
//
// Asserted: the counter is N at the end.
#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stddef.h>

#ifndef N
#define N 2
#endif

struct node {
  _Atomic(struct node*) next;
  atomic_int waiting;
};

static _Atomic(struct node*) tail;
static struct node nodes[N];

static void lock(struct node* self) {
  atomic_store_explicit(&self->next, NULL, memory_order_relaxed);
  atomic_store_explicit(&self->waiting, 1, memory_order_relaxed);
  struct node* predecessor = atomic_exchange_explicit(&tail, self, memory_order_acq_rel);
  if (predecessor == NULL) return;
  atomic_store_explicit(&predecessor->next, self, memory_order_release);
  while (atomic_load_explicit(&self->waiting, memory_order_acquire)) {
  }
}

static void unlock(struct node* self) {
  struct node* successor = atomic_load_explicit(&self->next, memory_order_acquire);
  if (successor == NULL) {
    struct node* expected = self;
    if (atomic_compare_exchange_strong_explicit(&tail, &expected, NULL, memory_order_release,
                                                memory_order_relaxed))
      return;
    while ((successor = atomic_load_explicit(&self->next, memory_order_acquire)) == NULL) {
    }
  }
  atomic_store_explicit(&successor->waiting, 0, memory_order_release);
}

static int counter;

static void* worker(void* argument) {
  lock(argument);
  counter = counter + 1;
  unlock(argument);
  return NULL;
}

int main(void) {
  pthread_t threads[N];
  for (int i = 0; i < N; i++) pthread_create(&threads[i], NULL, worker, &nodes[i]);
  for (int i = 0; i < N; i++) pthread_join(threads[i], NULL);
  assert(counter == N);
  return 0;
}
