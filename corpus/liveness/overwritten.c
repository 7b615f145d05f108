// SPDX-License-Identifier: GPL-3.0-or-later
//
// A mailbox of one place: the second message overwrites the first, and the reader waits for both. FIXED: the writer waits
// until the place is empty.
//
// expect sc tso pso armv8 rc11, property liveness: violated
// expect sc tso pso armv8 rc11, property liveness, define FIXED: verified
#include <pthread.h>
#include <stdatomic.h>

atomic_int mailbox;

static void *writer(void *unused) {
  for (int message = 1; message <= 2; ++message) {
#ifdef FIXED
    while (atomic_load_explicit(&mailbox, memory_order_acquire) != 0) {
    }
#endif
    atomic_store_explicit(&mailbox, message, memory_order_release);
  }
  return 0;
}

static void *reader(void *unused) {
  for (int message = 1; message <= 2; ++message) {
    while (atomic_load_explicit(&mailbox, memory_order_acquire) != message) {
    }
    atomic_store_explicit(&mailbox, 0, memory_order_release);
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
