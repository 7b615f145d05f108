// SPDX-License-Identifier: GPL-3.0-or-later
//
// Ticket lock augmented with a waiting array (Dice and Kogan 2019): only the thread whose turn is next reads the
// counter of the lock; threads further behind wait until the slot of their ticket changes. The one that leaves
// advances the lock, then the slot of the thread that has become the next.
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

enum { kSlots = 4, kNear = 1 };

static atomic_int next_ticket, now_serving;
static atomic_int slots[kSlots];

static void lock(void) {
  const int ticket = atomic_fetch_add_explicit(&next_ticket, 1, memory_order_relaxed);
  if (ticket - atomic_load_explicit(&now_serving, memory_order_acquire) > kNear) {
    atomic_int* slot = &slots[ticket % kSlots];
    for (;;) {
      const int seen = atomic_load_explicit(slot, memory_order_acquire);
      if (ticket - atomic_load_explicit(&now_serving, memory_order_acquire) <= kNear) break;
      while (atomic_load_explicit(slot, memory_order_acquire) == seen) {
      }
    }
  }
  while (atomic_load_explicit(&now_serving, memory_order_acquire) != ticket) {
  }
}

static void unlock(void) {
  const int next = atomic_load_explicit(&now_serving, memory_order_relaxed) + 1;
  atomic_store_explicit(&now_serving, next, memory_order_release);
  atomic_fetch_add_explicit(&slots[(next + kNear) % kSlots], 1, memory_order_release);
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
