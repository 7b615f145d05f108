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
  unsigned entered;  // 0 and 1 in turn: orders those who wait and wake, as the kernel's lock of the queue does
  unsigned mixed;    // threads have waited for different words
  uintptr_t word;
};
static struct futex_queue queues[kQueues];

// What was stored before it is seen by those who enter later.
static void enter(struct futex_queue* q) {
  release();
  __atomic_fetch_xor(&q->entered, 1, __ATOMIC_RELAXED);
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

// A thread that finds another value does not wait. If it was chosen to be woken up meanwhile, the execution does not
// count: there is another one in which the thread comes behind that wake-up, which then wakes who really waits.
static long wait(struct futex_queue* q, int* word, int value, int has_limit) {
  fl_atomic_begin();
  fl_queue_join(&q->queue);
  uintptr_t whose = get(&q->word);
  if (whose == 0) set(&q->word, (uintptr_t)word);
  if (whose != 0 && whose != (uintptr_t)word) set(&q->mixed, 1);
  fl_atomic_end();
  enter(q);
  if (get(word) == value) {
    if (!fl_queue_wait(&q->queue, has_limit)) return 0;
    errno = ETIMEDOUT;
    return -1;
  }
  fl_atomic_begin();
  const unsigned long waiting = get(&q->queue.waiting);
  set(&q->queue.waiting, waiting & ~fl_queue_bit());
  fl_atomic_end();
  fl_assume((waiting & fl_queue_bit()) != 0);
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
