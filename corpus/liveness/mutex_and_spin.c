// SPDX-License-Identifier: GPL-3.0-or-later
//
// A thread spins for a flag while it holds the mutex that the other one needs to set it. FIXED: it spins outside.
//
// expect sc tso pso armv8 rc11, property liveness: violated
// expect sc tso pso armv8 rc11, property liveness, define FIXED: verified
#include <pthread.h>
#include <stdatomic.h>

pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
atomic_int flag;

static void *waits(void *unused) {
#ifdef FIXED
  while (!atomic_load(&flag)) {
  }
  pthread_mutex_lock(&mutex);
  pthread_mutex_unlock(&mutex);
#else
  pthread_mutex_lock(&mutex);
  while (!atomic_load(&flag)) {
  }
  pthread_mutex_unlock(&mutex);
#endif
  return 0;
}

static void *sets(void *unused) {
  pthread_mutex_lock(&mutex);
  atomic_store(&flag, 1);
  pthread_mutex_unlock(&mutex);
  return 0;
}

int main(void) {
  pthread_t a, b;
  pthread_create(&a, 0, waits, 0);
  pthread_create(&b, 0, sets, 0);
  pthread_join(a, 0);
  pthread_join(b, 0);
  return 0;
}
