// SPDX-License-Identifier: GPL-3.0-or-later
//
// A ticket lock with C11 atomics and C11 threads. Two threads count once each, with a counter that is not
// atomic.
//
// Who leaves releases (2), who enters acquires (1). The ticket itself needs no order. On TSO neither does
// anything; on PSO the lock may be seen free before the counter is seen changed.
//
// expect sc tso rc11: verified
// expect sc tso, weaken 1 2: verified
// expect pso relaxed: verified
// expect relaxed, weaken 1 2: violated
// expect rc11, weaken 1 2: violated
#include <fenceline.h>
#include <stdatomic.h>
#include <stddef.h>
#include <threads.h>

_Atomic int next_ticket, now_serving;
int counter;

static void lock(void) {
  int ticket = atomic_fetch_add_explicit(&next_ticket, 1, memory_order_relaxed);
  fl_await(atomic_load_explicit(&now_serving, fl_order(1, memory_order_acquire)) == ticket);
}

static void unlock(void) {
  int ticket = atomic_load_explicit(&now_serving, memory_order_relaxed);
  atomic_store_explicit(&now_serving, ticket + 1, fl_order(2, memory_order_release));
}

static int worker(void* unused) {
  (void)unused;
  lock();
  counter = counter + 1;
  unlock();
  return 0;
}

int main(void) {
  thrd_t first, second;
  thrd_create(&first, worker, NULL);
  thrd_create(&second, worker, NULL);
  thrd_join(first, NULL);
  thrd_join(second, NULL);
  fl_assert(counter == 2);
  return 0;
}
