// SPDX-License-Identifier: GPL-3.0-or-later
//
// Two threads, one adds y to x, the other x to y, N times each: the largest result is a Fibonacci number.
//
// Asserted: neither variable is larger than that at the end.
#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stddef.h>

#ifndef N
#define N 2
#endif

static atomic_int x = 1, y = 1;

static void* first(void* unused) {
  (void)unused;
  for (int i = 0; i < N; i++) {
    const int sum =
        atomic_load_explicit(&x, memory_order_acquire) + atomic_load_explicit(&y, memory_order_acquire);
    atomic_store_explicit(&x, sum, memory_order_release);
  }
  return NULL;
}

static void* second(void* unused) {
  (void)unused;
  for (int i = 0; i < N; i++) {
    const int sum =
        atomic_load_explicit(&y, memory_order_acquire) + atomic_load_explicit(&x, memory_order_acquire);
    atomic_store_explicit(&y, sum, memory_order_release);
  }
  return NULL;
}

int main(void) {
  pthread_t threads[2];
  pthread_create(&threads[0], NULL, first, NULL);
  pthread_create(&threads[1], NULL, second, NULL);
  pthread_join(threads[0], NULL);
  pthread_join(threads[1], NULL);
  int smaller = 1, largest = 1;
  for (int i = 0; i < 2 * N; i++) {
    const int next = smaller + largest;
    smaller = largest;
    largest = next;
  }
  assert(atomic_load_explicit(&x, memory_order_relaxed) <= largest);
  assert(atomic_load_explicit(&y, memory_order_relaxed) <= largest);
  return 0;
}
