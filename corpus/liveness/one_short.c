// SPDX-License-Identifier: GPL-3.0-or-later
//
// A producer that stops one element before the consumer does. FIXED: both count alike.
//
// expect sc tso pso armv8 rc11, property liveness: violated
// expect sc tso pso armv8 rc11, property liveness, define FIXED: verified
#include <pthread.h>
#include <stdatomic.h>

#define ELEMENTS 3
#ifdef FIXED
#define PRODUCED ELEMENTS
#else
#define PRODUCED (ELEMENTS - 1)
#endif

atomic_int produced;
int ring[ELEMENTS];

static void *producer(void *unused) {
  for (int i = 0; i < PRODUCED; ++i) {
    ring[i] = i;
    atomic_store_explicit(&produced, i + 1, memory_order_release);
  }
  return 0;
}

static void *consumer(void *unused) {
  int sum = 0;
  for (int i = 0; i < ELEMENTS; ++i) {
    while (atomic_load_explicit(&produced, memory_order_acquire) <= i) {
    }
    sum += ring[i];
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
