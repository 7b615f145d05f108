// SPDX-License-Identifier: GPL-3.0-or-later
//
// Two spin locks, taken in opposite orders: each thread may hold one and spin for the other. FIXED: in the same order.
//
// expect sc tso pso armv8 rc11, property liveness: violated
// expect sc tso pso armv8 rc11, property liveness, define FIXED: verified
#include <pthread.h>
#include <stdatomic.h>

atomic_int a, b;

static void lock(atomic_int *l) {
  while (atomic_exchange(l, 1)) {
  }
}
static void unlock(atomic_int *l) { atomic_store(l, 0); }

static void *first(void *unused) {
  lock(&a);
  lock(&b);
  unlock(&b);
  unlock(&a);
  return 0;
}

static void *second(void *unused) {
#ifdef FIXED
  lock(&a);
  lock(&b);
  unlock(&b);
  unlock(&a);
#else
  lock(&b);
  lock(&a);
  unlock(&a);
  unlock(&b);
#endif
  return 0;
}

int main(void) {
  pthread_t a, b;
  pthread_create(&a, 0, first, 0);
  pthread_create(&b, 0, second, 0);
  pthread_join(a, 0);
  pthread_join(b, 0);
  return 0;
}
