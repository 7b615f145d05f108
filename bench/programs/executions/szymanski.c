// SPDX-License-Identifier: GPL-3.0-or-later
//
// Szymanski's mutual exclusion (1988): threads gather in a waiting room, the door is closed behind them, and they
// leave in the order of their numbers. All accesses are sequentially consistent.
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

enum { kOutside, kWants, kWaits, kDoor, kInside };

static atomic_int state[N];

// Is there a thread in one of the states from low to high?
static int any(int low, int high) {
  for (int i = 0; i < N; i++) {
    const int other = atomic_load(&state[i]);
    if (low <= other && other <= high) return 1;
  }
  return 0;
}

static void lock(int self) {
  atomic_store(&state[self], kWants);
  for (int i = 0; i < N; i++)  // until the door is open
    while (atomic_load(&state[i]) >= kDoor) {
    }
  atomic_store(&state[self], kDoor);
  if (any(kWants, kWants)) {
    atomic_store(&state[self], kWaits);
    while (!any(kInside, kInside)) {
    }
  }
  atomic_store(&state[self], kInside);
  for (int i = 0; i < self; i++)
    while (atomic_load(&state[i]) >= kWaits) {
    }
}

static void unlock(int self) {
  for (int i = self + 1; i < N; i++) {
    int other;
    do {
      other = atomic_load(&state[i]);
    } while (other == kWaits || other == kDoor);
  }
  atomic_store(&state[self], kOutside);
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
  for (int i = 0; i < N; i++) pthread_create(&threads[i], NULL, worker, (void*)(intptr_t)i);
  for (int i = 0; i < N; i++) pthread_join(threads[i], NULL);
  assert(counter == N);
  return 0;
}
