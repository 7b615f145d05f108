// SPDX-License-Identifier: GPL-3.0-or-later
//
// Spin locks as they are written: the loops have no bound, and what their failing iterations leave behind does
// not matter. Two threads count once each, with a counter that is not atomic; one of the locks is chosen by a
// define. Without one it is test-and-set.
//
//  EXCHANGE   a failing exchange stores what is there, and the thread yields.
//  TTAS       test and test-and-set with back-off: a counter that doubles, and a volatile one that counts down.
//  TRIES      compare-and-exchange through a pointer to a local variable; a counter of tries that is never read.
//  TICKET     tickets, with back-off in proportion to the distance.
//  CLH        a queue: each thread waits at the flag of the one before.
//  HEMLOCK    a queue whose links are in the threads: who leaves waits until its successor has taken note.
//  TWA        tickets; those far from their turn wait at an array.
//  READERS    a lock for one writer or several readers; one thread reads.
//
// Who enters acquires (1), who leaves releases (2). On TSO neither needs an order.
//
// expect sc tso pso rc11 armv8: verified
// expect sc tso pso rc11 armv8, define EXCHANGE: verified
// expect sc tso pso rc11 armv8, define TTAS: verified
// expect sc tso pso rc11 armv8 power riscv, define TRIES: verified
// expect sc tso pso rc11 armv8 power riscv, define TICKET: verified
// expect sc tso pso rc11 armv8 power riscv, define CLH: verified
// expect sc tso pso rc11 armv8 power riscv, define HEMLOCK: verified
// expect sc tso pso rc11 armv8 power riscv, define TWA: verified
// expect sc tso pso rc11 armv8 power riscv, define READERS: verified
// expect rc11, weaken 1 2: violated
// expect armv8, weaken 2: violated
// expect rc11 armv8, weaken 2, define EXCHANGE: violated
// expect rc11 armv8, weaken 2, define TTAS: violated
// expect rc11 armv8, weaken 2, define TRIES: violated
// expect rc11, weaken 1 2, define CLH: violated
#include <assert.h>
#include <fenceline.h>
#include <pthread.h>
#include <sched.h>
#include <stdatomic.h>

#define ACQUIRE fl_order(1, memory_order_acquire)
#define RELEASE fl_order(2, memory_order_release)

static int counter;

#if defined(EXCHANGE)
static atomic_int word;
static void lock(int me) {
  (void)me;
  while (atomic_exchange_explicit(&word, 1, ACQUIRE) != 0) sched_yield();
}
static void unlock(int me) {
  (void)me;
  atomic_store_explicit(&word, 0, RELEASE);
}

#elif defined(TTAS)
static atomic_int word;
static void lock(int me) {
  (void)me;
  for (int delay = 1;;) {
    while (atomic_load_explicit(&word, memory_order_relaxed) != 0) {
      for (volatile int i = 0; i < delay; ++i) {
      }
      if (delay < 4) delay = 2 * delay;
      sched_yield();
    }
    if (atomic_exchange_explicit(&word, 1, ACQUIRE) == 0) return;
  }
}
static void unlock(int me) {
  (void)me;
  atomic_store_explicit(&word, 0, RELEASE);
}

#elif defined(TRIES)
static atomic_int word;
static int take(atomic_int* what, int* expected) {
  return atomic_compare_exchange_strong_explicit(what, expected, 1, ACQUIRE, memory_order_relaxed);
}
static void lock(int me) {
  (void)me;
  int expected = 0, tries = 0;
  while (!take(&word, &expected)) {
    expected = 0;
    ++tries;
  }
}
static void unlock(int me) {
  (void)me;
  atomic_store_explicit(&word, 0, RELEASE);
}

#elif defined(TICKET)
static atomic_uint next_ticket, now_serving;
static void lock(int me) {
  (void)me;
  const unsigned ticket = atomic_fetch_add_explicit(&next_ticket, 1, memory_order_relaxed);
  for (;;) {
    const unsigned now = atomic_load_explicit(&now_serving, ACQUIRE);
    if (now == ticket) return;
    for (unsigned i = 0; i < ticket - now; ++i) sched_yield();
  }
}
static void unlock(int me) {
  (void)me;
  const unsigned now = atomic_load_explicit(&now_serving, memory_order_relaxed);
  atomic_store_explicit(&now_serving, now + 1, RELEASE);
}

#elif defined(CLH)
struct node {
  atomic_int taken;
} nodes[3];
static _Atomic(struct node*) tail = &nodes[2];
static void lock(int me) {
  atomic_store_explicit(&nodes[me].taken, 1, memory_order_relaxed);
  struct node* before = atomic_exchange_explicit(&tail, &nodes[me], memory_order_acq_rel);
  while (atomic_load_explicit(&before->taken, ACQUIRE) != 0) sched_yield();
}
static void unlock(int me) { atomic_store_explicit(&nodes[me].taken, 0, RELEASE); }

#elif defined(HEMLOCK)
static struct thread {
  atomic_int granted;
} threads[2];
static _Atomic(struct thread*) tail;
static void lock(int me) {
  struct thread* before = atomic_exchange_explicit(&tail, &threads[me], memory_order_acq_rel);
  if (before == NULL) return;
  while (atomic_load_explicit(&before->granted, ACQUIRE) == 0) {
  }
  atomic_store_explicit(&before->granted, 0, memory_order_release);
}
static void unlock(int me) {
  struct thread* expected = &threads[me];
  if (atomic_compare_exchange_strong_explicit(&tail, &expected, NULL, memory_order_acq_rel, memory_order_relaxed))
    return;
  atomic_store_explicit(&threads[me].granted, 1, RELEASE);
  while (atomic_load_explicit(&threads[me].granted, memory_order_acquire) != 0) {
  }
}

#elif defined(TWA)
static atomic_int next_ticket, now_serving, waiting[2];
static void lock(int me) {
  (void)me;
  const int ticket = atomic_fetch_add_explicit(&next_ticket, 1, memory_order_relaxed);
  int distance = ticket - atomic_load_explicit(&now_serving, ACQUIRE);
  if (distance == 0) return;
  while (distance > 1) {
    const int seen = atomic_load_explicit(&waiting[ticket & 1], memory_order_acquire);
    distance = ticket - atomic_load_explicit(&now_serving, memory_order_acquire);
    if (distance <= 1) break;
    while (atomic_load_explicit(&waiting[ticket & 1], memory_order_acquire) == seen) {
    }
  }
  while (atomic_load_explicit(&now_serving, ACQUIRE) != ticket) {
  }
}
static void unlock(int me) {
  (void)me;
  const int next = atomic_load_explicit(&now_serving, memory_order_relaxed) + 1;
  atomic_store_explicit(&now_serving, next, RELEASE);
  atomic_fetch_add_explicit(&waiting[(next + 1) & 1], 1, memory_order_acq_rel);
}

#elif defined(READERS)
static atomic_int word;  // how many read; -1: one writes
static void lock(int me) {
  for (;;) {
    int seen = me == 0 ? 0 : atomic_load_explicit(&word, memory_order_relaxed);
    if (seen < 0) continue;
    if (atomic_compare_exchange_weak_explicit(&word, &seen, me == 0 ? -1 : seen + 1, ACQUIRE, memory_order_relaxed))
      return;
  }
}
static void unlock(int me) {
  if (me == 0)
    atomic_store_explicit(&word, 0, RELEASE);
  else
    atomic_fetch_sub_explicit(&word, 1, RELEASE);
}

#else
static atomic_flag flag = ATOMIC_FLAG_INIT;
static void lock(int me) {
  (void)me;
  while (atomic_flag_test_and_set_explicit(&flag, ACQUIRE)) {
  }
}
static void unlock(int me) {
  (void)me;
  atomic_flag_clear_explicit(&flag, RELEASE);
}
#endif

static void* worker(void* argument) {
  const int me = argument != NULL;
  lock(me);
#ifdef READERS
  if (me != 0)
    fl_assert(counter == 0 || counter == 1);
  else
#endif
    counter = counter + 1;
  unlock(me);
  return NULL;
}

int main(void) {
  pthread_t first, second;
  pthread_create(&first, NULL, worker, NULL);
  pthread_create(&second, NULL, worker, &counter);
  pthread_join(first, NULL);
  pthread_join(second, NULL);
#ifndef READERS
  fl_assert(counter == 2);
#endif
  return 0;
}
