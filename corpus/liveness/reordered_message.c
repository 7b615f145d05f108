// SPDX-License-Identifier: GPL-3.0-or-later
//
// A message and the flag that announces it. A consumer that sees the flag and no message asks for it again, and there is no
// one to answer. Where stores stay in order and loads too (sc, tso) that does not happen; relaxed accesses may be reordered
// on armv8 and rc11 (message passing), and stores on pso. FIXED: release and acquire.
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

atomic_int message, flag, repeated;

static void *producer(void *unused) {
  atomic_store_explicit(&message, 1, memory_order_relaxed);
  atomic_store_explicit(&flag, 1, RELEASE);
  return 0;
}

static void *consumer(void *unused) {
  while (!atomic_load_explicit(&flag, ACQUIRE)) {
  }
  if (!atomic_load_explicit(&message, memory_order_relaxed)) {
    while (!atomic_load_explicit(&repeated, memory_order_acquire)) {
    }
  }
  return 0;
}

int main(void) {
  pthread_t a, b;
  pthread_create(&a, 0, producer, 0);
  pthread_create(&b, 0, consumer, 0);
  pthread_join(a, 0);
  pthread_join(b, 0);
  return 0;
}
