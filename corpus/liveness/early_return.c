// SPDX-License-Identifier: GPL-3.0-or-later
//
// A function that returns early without giving back its lock. FIXED: it does.
//
// expect sc tso pso armv8 rc11, property liveness: violated
// expect sc tso pso armv8 rc11, property liveness, define FIXED: verified
#include <pthread.h>
#include <stdatomic.h>

atomic_flag lock = ATOMIC_FLAG_INIT;
atomic_int done;

static int try_once(void) {
  while (atomic_flag_test_and_set_explicit(&lock, memory_order_acquire)) {
  }
  if (atomic_load_explicit(&done, memory_order_relaxed)) {
#ifdef FIXED
    atomic_flag_clear_explicit(&lock, memory_order_release);
#endif
    return 0;
  }
  atomic_store_explicit(&done, 1, memory_order_relaxed);
  atomic_flag_clear_explicit(&lock, memory_order_release);
  return 1;
}

static void *once(void *unused) {
  try_once();
  return 0;
}
static void *twice(void *unused) {
  try_once();
  try_once();
  return 0;
}

int main(void) {
  pthread_t a, b;
  pthread_create(&a, 0, once, 0);
  pthread_create(&b, 0, twice, 0);
  pthread_join(a, 0);
  pthread_join(b, 0);
  return 0;
}
