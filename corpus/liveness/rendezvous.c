// SPDX-License-Identifier: GPL-3.0-or-later
//
// Two threads meet: each announces itself; who finds the other one there opens the gate, and who does not waits at it. On sc
// the second one always finds the first. On all other models both may find nobody. FIXED: a fence after the announcement.
//
// expect tso pso armv8 rc11, property liveness: violated
// expect sc, property liveness: verified
// expect sc tso pso armv8 rc11, property liveness, define FIXED: verified
#include <pthread.h>
#include <stdatomic.h>

atomic_int here[2], gate;

static void meet(int me) {
  atomic_store_explicit(&here[me], 1, memory_order_relaxed);
#ifdef FIXED
  atomic_thread_fence(memory_order_seq_cst);
#endif
  if (atomic_load_explicit(&here[1 - me], memory_order_relaxed))
    atomic_store_explicit(&gate, 1, memory_order_release);
  while (!atomic_load_explicit(&gate, memory_order_acquire)) {
  }
}

static void *left(void *unused) {
  meet(0);
  return 0;
}
static void *right(void *unused) {
  meet(1);
  return 0;
}

int main(void) {
  pthread_t a, b;
  pthread_create(&a, 0, left, 0);
  pthread_create(&b, 0, right, 0);
  pthread_join(a, 0);
  pthread_join(b, 0);
  return 0;
}
