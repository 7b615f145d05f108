// SPDX-License-Identifier: GPL-3.0-or-later
//
// A barrier for three threads, and there are two. FIXED: it is one for two.
//
// expect sc tso pso armv8 rc11, property liveness: violated
// expect sc tso pso armv8 rc11, property liveness, define FIXED: verified
#include <pthread.h>
#include <stdatomic.h>

#ifdef FIXED
#define PARTIES 2
#else
#define PARTIES 3
#endif

atomic_int arrived;

static void *party(void *unused) {
  atomic_fetch_add(&arrived, 1);
  while (atomic_load(&arrived) < PARTIES) {
  }
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
