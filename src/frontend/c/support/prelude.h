// SPDX-License-Identifier: GPL-3.0-or-later
//
// What all files of this folder begin with. They define functions of the C library in terms of fenceline.h and
// atomics; each is compiled and linked with a program that calls one of its functions without defining it.
//
// Locks acquire and release by the accesses to their state, as those of the C library do: fences would order more. A
// function that may wait in the middle of what it does in one step uses fl_take, or an atomic section of relaxed
// accesses, after which nothing is ordered. What fails orders nothing, as POSIX and C have it.
#define _GNU_SOURCE
#include <errno.h>
#include <fenceline.h>
#include <pthread.h>
#include <stddef.h>
#include <stdint.h>

void fl_limit(int supported, const char* message);  // false: Fenceline cannot continue; the answer is `unknown`
long fl_thread_self(void);                          // from 1; different for all threads
void fl_guess(int right);  // what was read is as expected, or the execution does not count

// Mutexes whose state is one int: 1 while it is locked. A spin lock is unlocked by a store.
int fl_mutex_lock(int* held);
int fl_mutex_try_lock(int* held);
int fl_spin_try_lock(int* held);
int fl_spin_unlock(int* held);
// What is between them is one step on models with a machine. On others the lock, which is 0 at first, is held.
void fl_step_begin(int* lock);
void fl_step_end(int* lock);
// Waits until low <= *state <= high and adds the difference, in one step that acquires.
void fl_take(int* state, int low, int high, int difference);

#define get(p) __atomic_load_n((p), __ATOMIC_RELAXED)
#define set(p, value) __atomic_store_n((p), (value), __ATOMIC_RELAXED)
#define add(p, value) __atomic_fetch_add((p), (value), __ATOMIC_RELAXED)
#define get_acquire(p) __atomic_load_n((p), __ATOMIC_ACQUIRE)
#define set_release(p, value) __atomic_store_n((p), (value), __ATOMIC_RELEASE)
#define add_release(p, value) __atomic_fetch_add((p), (value), __ATOMIC_RELEASE)
#define acquire() __atomic_thread_fence(__ATOMIC_ACQUIRE)
#define release() __atomic_thread_fence(__ATOMIC_RELEASE)

// What fl_take does if it need not wait. The state has been read: no other thread has changed it since then, or the
// execution does not count. There is another one that has read the new state.
static inline void fl_replace(int* state, int before, int after) {
  fl_guess(__atomic_compare_exchange_n(state, &before, after, 0, __ATOMIC_ACQUIRE, __ATOMIC_ACQUIRE));
}

// How often waiting for one condition variable or futex may end without a reason. Without a limit, every loop around a
// wait would have executions without end.
#ifndef FL_SPURIOUS_WAKEUPS
#define FL_SPURIOUS_WAKEUPS 1
#endif

// Threads that wait for a signal: bit n is thread n. A thread goes on when its bit is gone.
struct fl_queue {
  unsigned long waiting;
  unsigned spurious;
};

static inline unsigned long fl_queue_bit(void) {
  fl_limit(fl_thread_self() < 64, "Fenceline does not support waiting for a signal in more than 63 threads");
  return 1UL << fl_thread_self();
}

static inline void fl_queue_join(struct fl_queue* queue) { add(&queue->waiting, fl_queue_bit()); }

// 1 if it gives up before a signal, 0 if there was a signal or it woke up without a reason. One that can give up never
// waits here: it does not end before it is scheduled, and by then there was a signal or its time has passed. So what
// has a time limit is no deadlock.
static inline int fl_queue_wait(struct fl_queue* queue, int can_give_up) {
  const unsigned long self = fl_queue_bit();
  const int wakes_up = FL_SPURIOUS_WAKEUPS > 0 && fl_nondet(0, 1);
  int gives_up = 0;
  if (wakes_up || can_give_up) {
    fl_atomic_begin();
    const unsigned long waiting = get(&queue->waiting);
    const unsigned before = get(&queue->spurious);
    const int without_reason = wakes_up && before < FL_SPURIOUS_WAKEUPS;
    if ((waiting & self) && (without_reason || can_give_up)) {
      if (without_reason) set(&queue->spurious, before + 1);
      set(&queue->waiting, waiting & ~self);
      gives_up = !without_reason;
    }
    fl_atomic_end();
    if (can_give_up) return gives_up;
  }
  fl_atomic_begin();
  const unsigned long waiting = get(&queue->waiting);
  fl_await(!(waiting & self));
  fl_atomic_end();
  return 0;
}

// Without the lowest bit, if there is another one.
static inline unsigned long fl_without_first(unsigned long bits) {
  return bits & (bits - 1) ? bits & (bits - 1) : bits;
}

// Wakes one thread, whichever, if any waits, or all of them.
static inline void fl_queue_signal(struct fl_queue* queue) {
  fl_atomic_begin();
  const unsigned long waiting = get(&queue->waiting);
  unsigned long last = waiting;
  if (waiting & (waiting - 1)) {
    const int chosen = (int)fl_nondet(0, 7);  // 0: all
    if (chosen > 1) last = fl_without_first(last);
    if (chosen > 2) last = fl_without_first(last);
    if (chosen > 3) last = fl_without_first(last);
    if (chosen > 4) last = fl_without_first(last);
    if (chosen > 5) last = fl_without_first(last);
    if (chosen > 6) last = fl_without_first(last);
    set(&queue->waiting, chosen == 0 ? 0 : waiting & ~(last & -last));
    if (chosen < 7) last = 0;
  } else if (waiting != 0) {
    set(&queue->waiting, 0);
  }
  fl_atomic_end();
  fl_limit((last & (last - 1)) == 0, "Fenceline does not support signals while more than 7 threads wait for them");
}

// As many of these threads, whichever; all if there are no more. Not more than 7 to choose from.
static inline unsigned long fl_queue_choose(unsigned long threads, int number) {
  if ((threads & (threads - 1)) == 0 || number >= 64) return threads;
  int left = __builtin_popcountl(threads);
  if (number >= left) return threads;
  unsigned long chosen = 0;
  for (int i = 0; i < 7; i++) {
    const unsigned long one = threads & -threads;
    if (number > 0 && (number >= left || fl_nondet(0, 1))) {
      chosen |= one;
      number--;
    }
    threads &= ~one;
    left--;
  }
  return chosen;
}

static inline void fl_queue_was_chosen(unsigned long threads, unsigned long chosen) {
  fl_limit(threads == chosen || __builtin_popcountl(threads) <= 7,
           "Fenceline does not support waking some of more than 7 threads that wait");
}

static inline void fl_queue_broadcast(struct fl_queue* queue) {
  fl_atomic_begin();
  set(&queue->waiting, 0);
  fl_atomic_end();
}
