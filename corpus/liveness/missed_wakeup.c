// SPDX-License-Identifier: GPL-3.0-or-later
//
// A consumer finds nothing ready, clears the signal and waits for the next one. The only signal may have come between the
// two. FIXED: the signal is cleared before the test.
//
// expect sc tso pso armv8 rc11, property liveness: violated
// expect sc tso pso armv8 rc11, property liveness, define FIXED: verified
#include <pthread.h>
#include <stdatomic.h>

atomic_int ready, signalled;

static void *consumer(void *unused) {
#ifdef FIXED
  atomic_store(&signalled, 0);
  if (!atomic_load(&ready)) {
#else
  if (!atomic_load(&ready)) {
    atomic_store(&signalled, 0);
#endif
    while (!atomic_load(&signalled)) {
    }
  }
  return 0;
}

static void *producer(void *unused) {
  atomic_store(&ready, 1);
  atomic_store(&signalled, 1);
  return 0;
}

int main(void) {
  pthread_t a, b;
  pthread_create(&a, 0, consumer, 0);
  pthread_create(&b, 0, producer, 0);
  pthread_join(a, 0);
  pthread_join(b, 0);
  return 0;
}
