// SPDX-License-Identifier: GPL-3.0-or-later
//
// N threads store a number each to one variable: as many executions as there are orders, N!.
//
// Asserted: at the end the variable has one of the numbers.
#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stddef.h>
#include <stdint.h>

#ifndef N
#define N 2
#endif

static atomic_int x;

static void* writer(void* argument) {
  atomic_store_explicit(&x, (int)(intptr_t)argument, memory_order_release);
  return NULL;
}

int main(void) {
  pthread_t threads[N];
  for (int i = 0; i < N; i++) pthread_create(&threads[i], NULL, writer, (void*)(intptr_t)(i + 1));
  for (int i = 0; i < N; i++) pthread_join(threads[i], NULL);
  const int last = atomic_load_explicit(&x, memory_order_relaxed);
  assert(1 <= last && last <= N);
  return 0;
}
