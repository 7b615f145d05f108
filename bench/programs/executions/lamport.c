// SPDX-License-Identifier: GPL-3.0-or-later
//
// Lamport's fast mutual exclusion (1987): without contention a thread enters after seven accesses, whatever N
// is. All accesses are sequentially consistent.
// N threads enter once and increment a counter that is not atomic.
//
// Asserted: the counter is N at the end.
#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stddef.h>
#include <stdint.h>

#ifndef N
#define N 2
#endif

static atomic_int x, y;  // threads are numbered from 1; 0: none
static atomic_int wants[N + 1];

static void lock(int self) {
  for (;;) {
    atomic_store(&wants[self], 1);
    atomic_store(&x, self);
    if (atomic_load(&y) != 0) {
      atomic_store(&wants[self], 0);
      while (atomic_load(&y) != 0) {
      }
      continue;
    }
    atomic_store(&y, self);
    if (atomic_load(&x) == self) return;
    atomic_store(&wants[self], 0);
    for (int i = 1; i <= N; i++)
      while (atomic_load(&wants[i])) {
      }
    if (atomic_load(&y) == self) return;
    while (atomic_load(&y) != 0) {
    }
  }
}

static void unlock(int self) {
  atomic_store(&y, 0);
  atomic_store(&wants[self], 0);
}

static int counter;

static void* worker(void* argument) {
  const int self = (int)(intptr_t)argument;
  lock(self);
  counter = counter + 1;
  unlock(self);
  return NULL;
}

int main(void) {
  pthread_t threads[N];
  for (int i = 0; i < N; i++) pthread_create(&threads[i], NULL, worker, (void*)(intptr_t)(i + 1));
  for (int i = 0; i < N; i++) pthread_join(threads[i], NULL);
  assert(counter == N);
  return 0;
}
