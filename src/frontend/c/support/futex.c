// SPDX-License-Identifier: GPL-3.0-or-later
//
// Futexes, through syscall(). A thread may always wake up without a reason, and then looks at its word again. So unless
// the question is whether threads go on in the end (FL_PROGRESS), nothing is lost if each wait ends at once: the loop
// around it is what waits. A time limit may pass at any time.
//
// Otherwise those that wait are in queues by address: 64 of them, so different words may share one; then a wake-up lets
// all of the queue go on, which is allowed.
#include <linux/futex.h>
#include <stdarg.h>
#include <sys/syscall.h>

#ifdef FL_PROGRESS

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
static long wait(struct futex_queue* q, int* word, int value, int has_limit) {
  fl_atomic_begin();
  unsigned ticket = add(&q->queue.tickets, 1);
  uintptr_t whose = get(&q->word);
  if (whose == 0) set(&q->word, (uintptr_t)word);
  if (whose != 0 && whose != (uintptr_t)word) set(&q->mixed, 1);
  fl_atomic_end();
  enter(q);
  if (get(word) == value) {
    if (!fl_queue_wait(&q->queue, ticket, has_limit)) return 0;
    errno = ETIMEDOUT;
    return -1;
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

static long futex(int waits, int* word, int value, int has_limit) {
  struct futex_queue* q = &queues[((unsigned long)word / 4) % kQueues];
  return waits ? wait(q, word, value, has_limit) : wake(q, (uintptr_t)word, value);
}

#else

// The kernel has a full barrier on both sides, between what came before and its look at the word or at the queue.
static long futex(int waits, int* word, int value, int has_limit) {
  __atomic_thread_fence(__ATOMIC_SEQ_CST);
  if (!waits) return fl_nondet(0, 1);  // how many there were
  const int is_equal = get(word) == value;
  if (is_equal && !(has_limit && fl_nondet(0, 1))) return 0;
  errno = is_equal ? ETIMEDOUT : EAGAIN;
  return -1;
}

#endif

// A call of syscall() is one of this: other numbers are not supported.
long fl_syscall(long number, long word, long operation, long value, long timeout) {
  fl_limit(number == SYS_futex, "Fenceline does not support system calls other than futex");
  const long what = operation & ~(long)(FUTEX_PRIVATE_FLAG | FUTEX_CLOCK_REALTIME);
  const int waits = what == FUTEX_WAIT || what == FUTEX_WAIT_BITSET;
  fl_limit(waits || what == FUTEX_WAKE || what == FUTEX_WAKE_BITSET,
           "Fenceline does not support operations of futex() other than waiting and waking");
  return futex(waits, (int*)word, (int)value, timeout != 0);
}
