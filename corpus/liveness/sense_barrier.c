// SPDX-License-Identifier: GPL-3.0-or-later
//
// A barrier that is used twice, and whose count is not set back after the first time: in the second round no thread is the
// last one. FIXED: the last one sets it back before it opens the barrier.
//
// expect sc tso pso armv8 rc11, property liveness: violated
// expect sc tso pso armv8 rc11, property liveness, define FIXED: verified
#include <pthread.h>
#include <stdatomic.h>

atomic_int count, sense;

static void wait_for_all(int round) {
  if (atomic_fetch_add(&count, 1) == 1) {
#ifdef FIXED
    atomic_store(&count, 0);
#endif
    atomic_store(&sense, round);
  } else {
    while (atomic_load(&sense) != round) {
    }
  }
}

static void *party(void *unused) {
  wait_for_all(1);
  wait_for_all(2);
  return 0;
}

int main(void) {
  pthread_t a, b;
  pthread_create(&a, 0, party, 0);
  pthread_create(&b, 0, party, 0);
  pthread_join(a, 0);
  pthread_join(b, 0);
  return 0;
}
