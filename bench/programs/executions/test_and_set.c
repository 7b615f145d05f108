// SPDX-License-Identifier: GPL-3.0-or-later
//
// Test-and-set lock: the exchange that finds the lock free takes it; every other one stores what was there.
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

static atomic_int locked;

static void lock(void) {
  while (atomic_exchange_explicit(&locked, 1, memory_order_acquire)) {
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
