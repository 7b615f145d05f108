// SPDX-License-Identifier: GPL-3.0-or-later
//
// Thread-local variables: each thread has its own copy, with the initial value, and another thread sees it only through a
// pointer. Threads without identity of their own number themselves: each one takes a ticket once, and keeps it.
//
// expect sc tso pso armv8 rc11: verified
// expect sc tso pso armv8 rc11, define GLOBAL: violated
// expect pso armv8 rc11, weaken 1: violated
#include <assert.h>
#include <fenceline.h>
#include <pthread.h>
#include <stdatomic.h>

#ifdef GLOBAL
#define OWN static
#else
#define OWN static _Thread_local
#endif

#define THREADS 2
OWN int mine = -1;
OWN struct {
  int count, last;
} statistics;
atomic_int next;
int slots[THREADS];
_Atomic(int *) published;

static int self(void) {
  if (mine < 0) mine = atomic_fetch_add_explicit(&next, 1, memory_order_relaxed);
  return mine;
}

static void *worker(void *unused) {
  for (int i = 0; i < 2; i++) {
    slots[self()]++;
    statistics.last = ++statistics.count;
  }
  assert(statistics.count == 2);
  // A pointer to it may go to another thread.
  if (self() == 0) atomic_store_explicit(&published, &statistics.last, fl_order(1, memory_order_release));
  return unused;
}

int main(void) {
  pthread_t threads[THREADS];
  for (int i = 0; i < THREADS; i++) pthread_create(&threads[i], 0, worker, 0);
  int *last = atomic_load_explicit(&published, fl_order(2, memory_order_acquire));
  if (last != 0) assert(*last == 2);
  for (int i = 0; i < THREADS; i++) pthread_join(threads[i], 0);
  assert(statistics.count == 0 && mine == -1);
  for (int i = 0; i < THREADS; i++) assert(slots[i] == 2);
  return 0;
}
