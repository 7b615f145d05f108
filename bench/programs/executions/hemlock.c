// SPDX-License-Identifier: GPL-3.0-or-later
//
// A lock like Hemlock (Dice and Kogan 2021): a queue of threads without nodes. The one that leaves writes the
// address of the lock into its own grant field; its successor waits for that and clears the field, and the one
// that leaves waits until it is clear, so that the field can be used again.
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

struct thread;
struct lock {
  _Atomic(struct thread*) tail;
};
struct thread {
  _Atomic(struct lock*) grant;
};

static struct lock mutex;
static struct thread nodes[N];

static void lock(struct thread* self) {
  struct thread* predecessor = atomic_exchange_explicit(&mutex.tail, self, memory_order_acq_rel);
  if (predecessor == NULL) return;
  while (atomic_load_explicit(&predecessor->grant, memory_order_acquire) != &mutex) {
  }
  atomic_store_explicit(&predecessor->grant, NULL, memory_order_release);
}

static void unlock(struct thread* self) {
  struct thread* expected = self;
  if (atomic_compare_exchange_strong_explicit(&mutex.tail, &expected, NULL, memory_order_release,
                                              memory_order_relaxed))
    return;
  atomic_store_explicit(&self->grant, &mutex, memory_order_release);
  while (atomic_load_explicit(&self->grant, memory_order_acquire) != NULL) {
  }
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
