// SPDX-License-Identifier: GPL-3.0-or-later
//
// Test-and-test-and-set lock with back-off: a thread reads until the lock looks free, then tries to take it; after
// a failure it counts for a while, in a variable that no other code reads.
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

enum { kDelay = 4 };

static atomic_int locked;

static void lock(void) {
  for (;;) {
    while (atomic_load_explicit(&locked, memory_order_relaxed)) {
    }
    if (!atomic_exchange_explicit(&locked, 1, memory_order_acquire)) return;
    for (volatile int i = 0; i < kDelay; i++) {
    }
  }
}

static void unlock(void) { atomic_store_explicit(&locked, 0, memory_order_release); }

static int counter;

static void* worker(void* unused) {
  (void)unused;
  lock();
  counter = counter + 1;
  unlock();
  return NULL;
}

int main(void) {
  pthread_t threads[N];
  for (int i = 0; i < N; i++) pthread_create(&threads[i], NULL, worker, NULL);
  for (int i = 0; i < N; i++) pthread_join(threads[i], NULL);
  assert(counter == N);
  return 0;
}
