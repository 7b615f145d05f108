// SPDX-License-Identifier: GPL-3.0-or-later
//
// Three philosophers, each of whom takes the fork on the left first. FIXED: one of them takes the other one first.
//
// expect sc tso pso armv8 rc11, property liveness: violated
// expect sc tso pso armv8 rc11, property liveness, define FIXED: verified
#include <pthread.h>
#include <stdatomic.h>

atomic_int fork_[3];

static void take(int which) {
  while (atomic_exchange_explicit(&fork_[which], 1, memory_order_acquire)) {
  }
}

static void dine(int left, int right) {
  take(left);
  take(right);
  atomic_store_explicit(&fork_[right], 0, memory_order_release);
  atomic_store_explicit(&fork_[left], 0, memory_order_release);
}

static void *plato(void *unused) {
  dine(0, 1);
  return 0;
}
static void *kant(void *unused) {
  dine(1, 2);
  return 0;
}
static void *hume(void *unused) {
#ifdef FIXED
  dine(0, 2);
#else
  dine(2, 0);
#endif
  return 0;
}

int main(void) {
  pthread_t a, b, c;
  pthread_create(&a, 0, plato, 0);
  pthread_create(&b, 0, kant, 0);
  pthread_create(&c, 0, hume, 0);
  pthread_join(a, 0);
  pthread_join(b, 0);
  pthread_join(c, 0);
  return 0;
}
