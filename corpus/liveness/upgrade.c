// SPDX-License-Identifier: GPL-3.0-or-later
//
// Two readers of a lock want to become writers, and each waits until it is the only reader. FIXED: they give back the lock
// for reading first.
//
// expect sc tso pso armv8 rc11, property liveness: violated
// expect sc tso pso armv8 rc11, property liveness, define FIXED: verified
#include <pthread.h>
#include <stdatomic.h>

atomic_int readers, writer;

static void *upgrades(void *unused) {
  atomic_fetch_add(&readers, 1);
#ifdef FIXED
  atomic_fetch_sub(&readers, 1);
  while (atomic_exchange(&writer, 1)) {
  }
  while (atomic_load(&readers) != 0) {
  }
  atomic_store(&writer, 0);
#else
  while (atomic_load(&readers) != 1) {
  }
  atomic_fetch_sub(&readers, 1);
#endif
  return 0;
}

int main(void) {
  pthread_t a, b;
  pthread_create(&a, 0, upgrades, 0);
  pthread_create(&b, 0, upgrades, 0);
  pthread_join(a, 0);
  pthread_join(b, 0);
  return 0;
}
