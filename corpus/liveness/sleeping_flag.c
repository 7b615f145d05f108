// SPDX-License-Identifier: GPL-3.0-or-later
//
// A consumer announces that it sleeps unless there is something ready; the producer makes something ready and wakes whoever
// sleeps. Each stores and then loads what the other stores, so on all models but sc both may miss the other (store
// buffering), and the consumer sleeps for ever. FIXED: sequentially consistent accesses.
//
// expect tso pso armv8 rc11, property liveness: violated
// expect sc, property liveness: verified
// expect sc tso pso armv8 rc11, property liveness, define FIXED: verified
#include <pthread.h>
#include <stdatomic.h>

#ifdef FIXED
#define ORDER memory_order_seq_cst
#else
#define ORDER memory_order_relaxed
#endif

atomic_int sleeping, ready, wake;

static void *consumer(void *unused) {
  atomic_store_explicit(&sleeping, 1, ORDER);
  if (!atomic_load_explicit(&ready, ORDER)) {
    while (!atomic_load_explicit(&wake, memory_order_acquire)) {
    }
  }
  return 0;
}

static void *producer(void *unused) {
  atomic_store_explicit(&ready, 1, ORDER);
  if (atomic_load_explicit(&sleeping, ORDER)) atomic_store_explicit(&wake, 1, memory_order_release);
  return 0;
}

int main(void) {
  pthread_t a, b;
  pthread_create(&a, 0, consumer, 0);
  pthread_create(&b, 0, producer, 0);
  pthread_join(a, 0);
  pthread_join(b, 0);
  return 0;
}
