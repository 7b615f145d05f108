// SPDX-License-Identifier: GPL-3.0-or-later
//
// N threads that pass a number on: the i-th changes it from i to i + 1 by one compare-and-exchange, if it is i.
//
// Asserted: if the number is n at the end, exactly the first n threads succeeded.
#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stddef.h>
#include <stdint.h>

#ifndef N
#define N 2
#endif

static atomic_int x;
static int succeeded[N];

static void* worker(void* argument) {
  const int self = (int)(intptr_t)argument;
  int expected = self;
  succeeded[self] = atomic_compare_exchange_strong_explicit(&x, &expected, self + 1, memory_order_acq_rel,
                                                            memory_order_acquire);
  return NULL;
}

int main(void) {
  pthread_t threads[N];
  for (int i = 0; i < N; i++) pthread_create(&threads[i], NULL, worker, (void*)(intptr_t)i);
  for (int i = 0; i < N; i++) pthread_join(threads[i], NULL);
  const int last = atomic_load_explicit(&x, memory_order_relaxed);
  for (int i = 0; i < N; i++) assert(succeeded[i] == (i < last));
  return 0;
}
