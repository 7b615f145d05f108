// SPDX-License-Identifier: GPL-3.0-or-later
//
// An array of N + 1 zeros (after Abdulla and others 2014). N threads: the thread of each position but the first
// stores there 1 more than the value before it. One more thread searches from the end for the last zero.
//
// Asserted: the search ends at the latest at the first position, which stays 0.
#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stddef.h>
#include <stdint.h>

#ifndef N
#define N 2
#endif

static atomic_int array[N + 1];

static void* searcher(void* unused) {
  (void)unused;
  int i = N;
  while (atomic_load_explicit(&array[i], memory_order_acquire) != 0) i--;
  assert(0 <= i && i <= N);
  return NULL;
}

static void* worker(void* argument) {
  const int i = (int)(intptr_t)argument;
  const int before = atomic_load_explicit(&array[i - 1], memory_order_acquire);
  atomic_store_explicit(&array[i], before + 1, memory_order_release);
  return NULL;
}

int main(void) {
  pthread_t threads[N + 1];
  pthread_create(&threads[0], NULL, searcher, NULL);
  for (int i = 1; i <= N; i++) pthread_create(&threads[i], NULL, worker, (void*)(intptr_t)i);
  for (int i = 0; i <= N; i++) pthread_join(threads[i], NULL);
  for (int i = 1; i <= N; i++) {
    const int value = atomic_load_explicit(&array[i], memory_order_relaxed);
    assert(1 <= value && value <= i);
  }
  return 0;
}
