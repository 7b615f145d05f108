// SPDX-License-Identifier: GPL-3.0-or-later
//
// A writer that leaves the sequence number odd if there is nothing to write. Readers wait while it is odd. FIXED: it is even
// again.
//
// expect sc tso pso armv8 rc11, property liveness: violated
// expect sc tso pso armv8 rc11, property liveness, define FIXED: verified
#include <pthread.h>
#include <stdatomic.h>

atomic_int sequence, data;

static void *writer(void *unused) {
  atomic_fetch_add(&sequence, 1);
  if (atomic_load(&data) == 0) {
#ifdef FIXED
    atomic_fetch_add(&sequence, 1);
#endif
    return 0;
  }
  atomic_store(&data, 1);
  atomic_fetch_add(&sequence, 1);
  return 0;
}

static void *reader(void *unused) {
  for (;;) {
    const int before = atomic_load(&sequence);
    if (before & 1) continue;
    atomic_load(&data);
    if (atomic_load(&sequence) == before) break;
  }
  return 0;
}

int main(void) {
  pthread_t a, b;
  pthread_create(&a, 0, writer, 0);
  pthread_create(&b, 0, reader, 0);
  pthread_join(a, 0);
  pthread_join(b, 0);
  return 0;
}
