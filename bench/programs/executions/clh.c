// SPDX-License-Identifier: GPL-3.0-or-later
//
// Queue lock of Craig, Landin and Hagersten: each thread waits at the node of its predecessor.
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
  atomic_int busy;
};

static struct node first;  // as if a thread had taken the lock and left
static _Atomic(struct node*) tail = &first;
static struct node nodes[N];

static void lock(struct node* self) {
  atomic_store_explicit(&self->busy, 1, memory_order_relaxed);
  struct node* predecessor = atomic_exchange_explicit(&tail, self, memory_order_acq_rel);
  while (atomic_load_explicit(&predecessor->busy, memory_order_acquire)) {
  }
}

static void unlock(struct node* self) { atomic_store_explicit(&self->busy, 0, memory_order_release); }

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
