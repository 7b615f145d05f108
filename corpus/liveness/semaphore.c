// SPDX-License-Identifier: GPL-3.0-or-later
//
// A semaphore that is taken twice and given once. It is taken by a compare-and-exchange that is tried again. FIXED: it is
// given twice.
//
// expect sc tso pso armv8 rc11, property liveness: violated
// expect sc tso pso armv8 rc11, property liveness, define FIXED: verified
#include <pthread.h>
#include <stdatomic.h>

atomic_int count;

static void take(void) {
  for (;;) {
    int seen = atomic_load(&count);
    if (seen > 0 && atomic_compare_exchange_strong(&count, &seen, seen - 1)) return;
  }
}

static void *takes(void *unused) {
  take();
  take();
  return 0;
}

static void *gives(void *unused) {
  atomic_fetch_add(&count, 1);
#ifdef FIXED
  atomic_fetch_add(&count, 1);
#endif
  return 0;
}

int main(void) {
  pthread_t a, b;
  pthread_create(&a, 0, takes, 0);
  pthread_create(&b, 0, gives, 0);
  pthread_join(a, 0);
  pthread_join(b, 0);
  return 0;
}
