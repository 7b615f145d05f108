// SPDX-License-Identifier: GPL-3.0-or-later
//
// Ticket lock: threads draw numbers and are served in their order.
// N threads take the lock once and increment a counter that is not atomic.
//
// Asserted: the counter is N at the end.
#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stddef.h>

#ifndef N
#define N 2
#endif

static atomic_int next_ticket, now_serving;

static void lock(void) {
  const int ticket = atomic_fetch_add_explicit(&next_ticket, 1, memory_order_relaxed);
  while (atomic_load_explicit(&now_serving, memory_order_acquire) != ticket) {
  }
}

static void unlock(void) {
  const int ticket = atomic_load_explicit(&now_serving, memory_order_relaxed);
  atomic_store_explicit(&now_serving, ticket + 1, memory_order_release);
}

static int counter;

static void* worker(void* unused) {
  (void)unused;
  lock();
  counter = counter + 1;
  unlock();
  return NULL;
}

int main(void) {
  pthread_t threads[N];
  for (int i = 0; i < N; i++) pthread_create(&threads[i], NULL, worker, NULL);
  for (int i = 0; i < N; i++) pthread_join(threads[i], NULL);
  assert(counter == N);
  return 0;
}
