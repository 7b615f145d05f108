// SPDX-License-Identifier: GPL-3.0-or-later
//
// Mutual exclusion with two flags and no turn: if both are raised, both wait. FIXED: Peterson's algorithm, in which the one
// who came last waits.
//
// expect sc tso pso armv8 rc11, property liveness: violated
// expect sc tso pso armv8 rc11, property liveness, define FIXED: verified
#include <pthread.h>
#include <stdatomic.h>

atomic_int wants[2], turn;

static void enter_and_leave(int me) {
  atomic_store(&wants[me], 1);
#ifdef FIXED
  atomic_store(&turn, 1 - me);
  while (atomic_load(&wants[1 - me]) && atomic_load(&turn) == 1 - me) {
  }
#else
  while (atomic_load(&wants[1 - me])) {
  }
#endif
  atomic_store(&wants[me], 0);
}

static void *left(void *unused) {
  enter_and_leave(0);
  return 0;
}
static void *right(void *unused) {
  enter_and_leave(1);
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
