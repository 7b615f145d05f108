// SPDX-License-Identifier: GPL-3.0-or-later
//
// A mutex whose waiters sleep until they are woken, as with a futex: they wait for the number of wake-ups to change. The
// number is read after the mutex was found taken, and the wake-up may have come in between. FIXED: it is read before, so
// that a wake-up in between is noticed.
//
// expect sc tso pso armv8 rc11, property liveness: violated
// expect sc tso pso armv8 rc11, property liveness, define FIXED: verified
#include <pthread.h>
#include <stdatomic.h>

atomic_int taken, wakeups;

static void lock(void) {
  for (;;) {
#ifdef FIXED
    const int seen = atomic_load(&wakeups);
    if (!atomic_exchange(&taken, 1)) return;
#else
    if (!atomic_exchange(&taken, 1)) return;
    const int seen = atomic_load(&wakeups);
#endif
    while (atomic_load(&wakeups) == seen) {
    }
  }
}

static void unlock(void) {
  atomic_store(&taken, 0);
  atomic_fetch_add(&wakeups, 1);
}

static void *worker(void *unused) {
  lock();
  unlock();
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
