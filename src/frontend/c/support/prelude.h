// SPDX-License-Identifier: GPL-3.0-or-later
//
// What all files of this folder begin with. They define functions of the C library in terms of fenceline.h and
// atomics; each is compiled and linked with a program that calls one of its functions without defining it.
//
// What a function does in one step is an atomic section of relaxed accesses; the fences around it make the function
// acquire or release. Read-modify-writes that hand something over are fetch operations, so that on models of C their
// release sequences are those of atomics.
#define _GNU_SOURCE
#include <errno.h>
#include <fenceline.h>
#include <pthread.h>
#include <stddef.h>
#include <stdint.h>

void fl_limit(int supported, const char* message);  // false: Fenceline cannot continue; the answer is `unknown`
long fl_thread_self(void);                          // from 1; different for all threads

#define get(p) __atomic_load_n((p), __ATOMIC_RELAXED)
#define set(p, value) __atomic_store_n((p), (value), __ATOMIC_RELAXED)
#define add(p, value) __atomic_fetch_add((p), (value), __ATOMIC_RELAXED)
#define acquire() __atomic_thread_fence(__ATOMIC_ACQUIRE)
#define release() __atomic_thread_fence(__ATOMIC_RELEASE)

// How often waiting for one condition variable or futex may end without a reason. Without a limit, every loop around a
// wait would have executions without end.
#ifndef FL_SPURIOUS_WAKEUPS
#define FL_SPURIOUS_WAKEUPS 1
#endif

// Threads that wait for a signal, in the order in which they came: those below `released` may go on. A thread that
// wakes up without a signal lets those before it go, too, which is allowed, so a signal is never spent on it.
struct fl_queue {
  unsigned tickets, released, spurious;
};

// 1 if it gives up before it was released, 0 if it was released or woke up without a reason. One that can give up never
// waits here: it does not end before it is scheduled, and by then it was released or its time has passed. So what has a
// time limit is no deadlock.
static inline int fl_queue_wait(struct fl_queue* queue, unsigned ticket, int can_give_up) {
  const int wakes_up = FL_SPURIOUS_WAKEUPS > 0 && fl_nondet(0, 1);
  int gives_up = 0;
  if (wakes_up || can_give_up) {
    fl_atomic_begin();
    const unsigned before = get(&queue->spurious);
    const int without_reason = wakes_up && before < FL_SPURIOUS_WAKEUPS;
    if ((without_reason || can_give_up) && get(&queue->released) <= ticket) {
      if (without_reason) set(&queue->spurious, before + 1);
      set(&queue->released, ticket + 1);
      gives_up = !without_reason;
    }
    fl_atomic_end();
    if (can_give_up) return gives_up;
  }
  fl_atomic_begin();
  unsigned released = get(&queue->released);
  fl_await(released > ticket);
  fl_atomic_end();
  return 0;
}

// One thread, if any waits; more may wake up.
static inline void fl_queue_signal(struct fl_queue* queue) {
  int more = (int)fl_nondet(0, 1);
  fl_atomic_begin();
  unsigned tickets = get(&queue->tickets), released = get(&queue->released);
  if (released < tickets) set(&queue->released, more ? tickets : released + 1);
  fl_atomic_end();
}

static inline void fl_queue_broadcast(struct fl_queue* queue) {
  fl_atomic_begin();
  unsigned tickets = get(&queue->tickets);
  set(&queue->released, tickets);
  fl_atomic_end();
}
