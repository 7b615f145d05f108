// SPDX-License-Identifier: GPL-3.0-or-later
//
// Futexes, through syscall(). Those that wait are in queues by address: 64 of them, so different words may share one;
// then a wake-up lets all of the queue go on, which is allowed (they wake up without a reason).
#include <linux/futex.h>
#include <stdarg.h>
#include <sys/syscall.h>

enum { kQueues = 64 };
struct futex_queue {
  struct fl_queue queue;
  unsigned entered;  // orders those who wait and those who wake, as the kernel's lock of the queue does
  unsigned mixed;    // threads have waited for different words
  uintptr_t word;
};
static struct futex_queue queues[kQueues];

// What was stored before it is seen by those who enter later.
static void enter(struct futex_queue* q) {
  release();
  add(&q->entered, 1);
  acquire();
}

static long wake(struct futex_queue* q, uintptr_t word, int number) {
  enter(q);
  fl_atomic_begin();
  uintptr_t whose = get(&q->word);
  unsigned mixed = get(&q->mixed);
  fl_atomic_end();
  if (whose == 0) return 0;
  if (number == 1 && !mixed && whose == word)
    fl_queue_signal(&q->queue);
  else
    fl_queue_broadcast(&q->queue);
  return fl_nondet(0, 1);  // how many there were
}

// A thread that finds another value leaves the queue. If others came behind it and before it, those before it wake up
// without a reason.
static long wait(struct futex_queue* q, int* word, int value) {
  fl_atomic_begin();
  unsigned ticket = add(&q->queue.tickets, 1);
  uintptr_t whose = get(&q->word);
  if (whose == 0) set(&q->word, (uintptr_t)word);
  if (whose != 0 && whose != (uintptr_t)word) set(&q->mixed, 1);
  fl_atomic_end();
  enter(q);
  if (get(word) == value) {
    fl_queue_wait(&q->queue, ticket, 0);
    return 0;
  }
  fl_atomic_begin();
  unsigned tickets = get(&q->queue.tickets), released = get(&q->queue.released);
  if (released <= ticket && tickets == ticket + 1)
    set(&q->queue.tickets, ticket);
  else if (released <= ticket)
    set(&q->queue.released, ticket + 1);
  fl_atomic_end();
  errno = EAGAIN;
  return -1;
}

// A call of syscall() is one of this: other numbers are not supported.
long fl_syscall(long number, long word, long operation, long value, long timeout) {
  fl_limit(number == SYS_futex, "Fenceline does not support system calls other than futex");
  const long what = operation & ~(long)(FUTEX_PRIVATE_FLAG | FUTEX_CLOCK_REALTIME);
  const int waits = what == FUTEX_WAIT || what == FUTEX_WAIT_BITSET;
  fl_limit(waits || what == FUTEX_WAKE || what == FUTEX_WAKE_BITSET,
           "Fenceline does not support operations of futex() other than waiting and waking");
  fl_limit(!waits || timeout == 0, "Fenceline does not support futex() with a time limit");
  struct futex_queue* q = &queues[((unsigned long)word / 4) % kQueues];
  return waits ? wait(q, (int*)word, (int)value) : wake(q, (uintptr_t)word, (int)value);
}
