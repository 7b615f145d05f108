// SPDX-License-Identifier: GPL-3.0-or-later
//
// A counter that N threads increment once each, by compare-and-exchange until it succeeds.
//
// Asserted: the counter is N at the end.
#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stddef.h>

#ifndef N
#define N 2
#endif

static atomic_int counter;

static void* worker(void* unused) {
  (void)unused;
  int seen = atomic_load_explicit(&counter, memory_order_relaxed);
  while (!atomic_compare_exchange_strong_explicit(&counter, &seen, seen + 1, memory_order_relaxed,
                                                  memory_order_relaxed)) {
  }
  return NULL;
}

int main(void) {
  pthread_t threads[N];
  for (int i = 0; i < N; i++) pthread_create(&threads[i], NULL, worker, NULL);
  for (int i = 0; i < N; i++) pthread_join(threads[i], NULL);
  assert(atomic_load_explicit(&counter, memory_order_relaxed) == N);
  return 0;
}
