// SPDX-License-Identifier: GPL-3.0-or-later
//
// Each of two threads looks whether the other one has answered, and then answers. The first takes an early answer for a
// mistake and waits for a correction, which the second sends only if it came first. On armv8 a relaxed store may become
// visible before the load in front of it has read (load buffering), and then both come second. FIXED: release stores.
//
// expect armv8, property liveness: violated
// expect sc tso pso rc11, property liveness: verified
// expect sc tso pso armv8 rc11, property liveness, define FIXED: verified
#include <pthread.h>
#include <stdatomic.h>

#ifdef FIXED
#define RELEASE memory_order_release
#else
#define RELEASE memory_order_relaxed
#endif

atomic_int answered[2], corrected;

static void *first(void *unused) {
  const int early = atomic_load_explicit(&answered[1], memory_order_relaxed);
  atomic_store_explicit(&answered[0], 1, RELEASE);
  if (early) {
    while (!atomic_load_explicit(&corrected, memory_order_relaxed)) {
    }
  }
  return 0;
}

static void *second(void *unused) {
  const int late = atomic_load_explicit(&answered[0], memory_order_relaxed);
  atomic_store_explicit(&answered[1], 1, RELEASE);
  if (!late) atomic_store_explicit(&corrected, 1, memory_order_relaxed);
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
