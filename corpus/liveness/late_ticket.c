// SPDX-License-Identifier: GPL-3.0-or-later
//
// A lock that is handed over by two relaxed stores: the next owner first, then the end of the queue. A thread that sees the
// new end of the queue but not the owner believes that it was forgotten, and waits for a correction that does not come. On
// sc and tso stores are seen in their order. FIXED: a release store and an acquire load.
//
// expect pso armv8 rc11, property liveness: violated
// expect sc tso, property liveness: verified
// expect sc tso pso armv8 rc11, property liveness, define FIXED: verified
#include <pthread.h>
#include <stdatomic.h>

#ifdef FIXED
#define RELEASE memory_order_release
#define ACQUIRE memory_order_acquire
#else
#define RELEASE memory_order_relaxed
#define ACQUIRE memory_order_relaxed
#endif

atomic_int owner, end, corrected;

static void *hands_over(void *unused) {
  atomic_store_explicit(&owner, 2, memory_order_relaxed);
  atomic_store_explicit(&end, 2, RELEASE);
  return 0;
}

static void *takes(void *unused) {
  if (atomic_load_explicit(&end, ACQUIRE) == 2) {
    if (atomic_load_explicit(&owner, memory_order_relaxed) != 2) {
      while (!atomic_load_explicit(&corrected, memory_order_relaxed)) {
      }
    }
  }
  return 0;
}

int main(void) {
  pthread_t a, b;
  pthread_create(&a, 0, hands_over, 0);
  pthread_create(&b, 0, takes, 0);
  pthread_join(a, 0);
  pthread_join(b, 0);
  return 0;
}
