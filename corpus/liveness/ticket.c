// SPDX-License-Identifier: GPL-3.0-or-later
//
// A ticket lock whose release does not call the next number. FIXED: it does.
//
// expect sc tso pso armv8 rc11, property liveness: violated
// expect sc tso pso armv8 rc11, property liveness, define FIXED: verified
#include <pthread.h>
#include <stdatomic.h>

atomic_int next, serving;

static void *worker(void *unused) {
  const int mine = atomic_fetch_add_explicit(&next, 1, memory_order_relaxed);
  while (atomic_load_explicit(&serving, memory_order_acquire) != mine) {
  }
#ifdef FIXED
  atomic_store_explicit(&serving, mine + 1, memory_order_release);
#else
  atomic_store_explicit(&serving, mine, memory_order_release);
#endif
  return 0;
}

int main(void) {
  pthread_t a, b;
  pthread_create(&a, 0, worker, 0);
  pthread_create(&b, 0, worker, 0);
  pthread_join(a, 0);
  pthread_join(b, 0);
  return 0;
}
