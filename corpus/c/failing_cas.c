// SPDX-License-Identifier: GPL-3.0-or-later
//
// A compare-and-exchange that fails is a load with an order of its own. One thread writes data and says so;
// the other learns of it because its compare-and-exchange does not find what it expects. On success it
// acquires; on failure it does only if it says so (1).
//
// ARM and RISC-V have one load for both, which acquires if either does.
//
// expect sc tso pso relaxed armv8 power riscv rc11: verified
// expect sc tso armv8 riscv, weaken 1: verified
// expect relaxed power rc11, weaken 1: violated
// expect rc11, define REVERSED: verified
#include <assert.h>
#include <fenceline.h>
#include <pthread.h>
#include <stdatomic.h>

#ifdef REVERSED  // it succeeds: the order of the failure does not matter
enum { kExpected = 1 };
#define FAILURE memory_order_relaxed
#else
enum { kExpected = 2 };
#define FAILURE fl_order(1, memory_order_acquire)
#endif

atomic_int data, flag;

void* writer(void* unused) {
  atomic_store_explicit(&data, 1, memory_order_relaxed);
  atomic_store_explicit(&flag, 1, memory_order_release);
  return unused;
}

void* reader(void* unused) {
  int seen = kExpected;
  const _Bool done = atomic_compare_exchange_strong_explicit(&flag, &seen, 3, memory_order_acquire, FAILURE);
  if (done == (kExpected == 1) && seen == 1) assert(atomic_load_explicit(&data, memory_order_relaxed) == 1);
  return unused;
}

int main(void) {
  pthread_t threads[2];
  pthread_create(&threads[0], 0, writer, 0);
  pthread_create(&threads[1], 0, reader, 0);
  pthread_join(threads[0], 0);
  pthread_join(threads[1], 0);
  return 0;
}
