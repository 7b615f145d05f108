// SPDX-License-Identifier: GPL-3.0-or-later
//
// A thread counts while it waits for a flag that no thread sets. Nothing looks at the counter. FIXED: main sets the flag.
//
// expect sc tso pso armv8 rc11, property liveness: violated
// expect sc tso pso armv8 rc11, property liveness, define FIXED: verified
#include <pthread.h>
#include <stdatomic.h>

atomic_int flag;

static void *waits(void *unused) {
  int spins = 0;
  while (!atomic_load_explicit(&flag, memory_order_relaxed)) ++spins;
  return 0;
}

int main(void) {
  pthread_t thread;
  pthread_create(&thread, 0, waits, 0);
#ifdef FIXED
  atomic_store_explicit(&flag, 1, memory_order_relaxed);
#endif
  pthread_join(thread, 0);
  return 0;
}
