// SPDX-License-Identifier: GPL-3.0-or-later
//
// Futexes, through syscall(). A thread may always wake up without a reason, and then looks at its word again. So unless
// the question is whether threads go on in the end (FL_PROGRESS), or how many a call has woken, nothing is lost if each
// wait ends at once: the loop around it is what waits. A time limit may pass at any time.
//
// Otherwise those that wait are in queues by address, and who wakes chooses among them. As in the kernel, a queue is
// locked while a thread looks at its word and joins, and while one wakes others up.
#include <linux/futex.h>
#include <stdarg.h>
#include <sys/syscall.h>

enum { kQueues = 61, kThreads = 18 };
struct futex_queue {
  uintptr_t word;  // 0: no thread has used it yet
  struct fl_queue queue;
  int lock;
};
static struct futex_queue queues[kQueues];
static unsigned masks[kThreads];  // of the threads that wait with one; 0: all bits

static struct futex_queue* find(uintptr_t word) {
  struct futex_queue* q = &queues[word / 4 % kQueues];
  uintptr_t other = 0;
  if (__atomic_compare_exchange_n(&q->word, &other, word, 0, __ATOMIC_RELAXED, __ATOMIC_RELAXED)) return q;
  if (other == word) return q;
  q = &queues[(word / 4 + 1) % kQueues];
  other = 0;
  if (__atomic_compare_exchange_n(&q->word, &other, word, 0, __ATOMIC_RELAXED, __ATOMIC_RELAXED)) return q;
  fl_limit(other == word, "Fenceline does not support futexes at addresses with this distance");
  return q;
}

// The threads whose masks have none of these bits.
static unsigned long refuse(unsigned mask) {
  unsigned long threads = 0;
  for (int thread = 1; thread < kThreads; thread++) {
    const unsigned own = get(&masks[thread]);
    if (own != 0 && (own & mask) == 0) threads |= 1UL << thread;
  }
  return threads;
}

static long wake(int* word, int number, unsigned mask) {
  struct futex_queue* q = find((uintptr_t)word);
  fl_step_begin(&q->lock);
  const unsigned long waiting = get(&q->queue.waiting);
  unsigned long candidates = waiting;
  if (mask != FUTEX_BITSET_MATCH_ANY) candidates &= ~refuse(mask);
  const unsigned long woken = fl_queue_choose(candidates, number < 1 ? 1 : number);  // 0 is 1 to the kernel
  set(&q->queue.waiting, waiting & ~woken);
  fl_step_end(&q->lock);
  fl_queue_was_chosen(candidates, woken);
  return __builtin_popcountl(woken);
}

// As fl_queue_wait, with the lock of the queue: 1 if its time has passed.
static int fl_futex_wait(struct futex_queue* q, int has_limit) {
  const unsigned long self = fl_queue_bit();
  const int wakes_up = FL_SPURIOUS_WAKEUPS > 0 && fl_nondet(0, 1);
  int gives_up = 0;
  if (wakes_up || has_limit) {
    fl_step_begin(&q->lock);
    const unsigned long waiting = get(&q->queue.waiting);
    const unsigned before = get(&q->queue.spurious);
    const int without_reason = wakes_up && before < FL_SPURIOUS_WAKEUPS;
    if ((waiting & self) && (without_reason || has_limit)) {
      if (without_reason) set(&q->queue.spurious, before + 1);
      set(&q->queue.waiting, waiting & ~self);
      gives_up = !without_reason;
    }
    fl_step_end(&q->lock);
    if (has_limit) return gives_up;
  }
  fl_atomic_begin();
  const unsigned long waiting = get(&q->queue.waiting);
  fl_await(!(waiting & self));
  fl_atomic_end();
  return 0;
}

static long wait(int* word, int value, int has_limit, unsigned mask) {
  struct futex_queue* q = find((uintptr_t)word);
  fl_step_begin(&q->lock);
  const int is_equal = get(word) == value;
  if (is_equal) {
    set(&q->queue.waiting, get(&q->queue.waiting) | fl_queue_bit());
    if (mask != FUTEX_BITSET_MATCH_ANY) set(&masks[fl_thread_self()], mask);
  }
  fl_step_end(&q->lock);
  const int gives_up = is_equal && fl_futex_wait(q, has_limit);
  if (is_equal && mask != FUTEX_BITSET_MATCH_ANY) set(&masks[fl_thread_self()], 0);
  if (is_equal && !gives_up) return 0;
  errno = is_equal ? ETIMEDOUT : EAGAIN;
  return -1;
}

// No thread is ever in a queue.
static long wait_without_queue(int* word, int value, int has_limit) {
  const int is_equal = get(word) == value;
  if (is_equal && !(has_limit && fl_nondet(0, 1))) return 0;
  errno = is_equal ? ETIMEDOUT : EAGAIN;
  return -1;
}

struct call {
  int waits, has_limit;
  unsigned mask;
};

// A call of syscall() is one of this: other numbers are not supported. The kernel has a full barrier on both sides,
// between what came before and its look at the word or at the queue.
static int begin(struct call* call, long number, long operation, long timeout, long mask) {
  fl_limit(number == SYS_futex, "Fenceline does not support system calls other than futex");
  const long what = operation & ~(long)(FUTEX_PRIVATE_FLAG | FUTEX_CLOCK_REALTIME);
  call->waits = what == FUTEX_WAIT || what == FUTEX_WAIT_BITSET;
  call->has_limit = timeout != 0;
  fl_limit(call->waits || what == FUTEX_WAKE || what == FUTEX_WAKE_BITSET,
           "Fenceline does not support operations of futex() other than waiting and waking");
  call->mask = what == FUTEX_WAIT_BITSET || what == FUTEX_WAKE_BITSET ? (unsigned)mask : FUTEX_BITSET_MATCH_ANY;
  if (call->mask == 0) {
    errno = EINVAL;
    return 0;
  }
  __atomic_thread_fence(__ATOMIC_SEQ_CST);
  return 1;
}

// For programs that look at how many threads a call has woken.
long fl_counted_syscall(long number, long word, long operation, long value, long timeout, long other, long mask) {
  struct call call;
  if (!begin(&call, number, operation, timeout, mask)) return -1;
  if (!call.waits) return wake((int*)word, (int)value, call.mask);
  return wait((int*)word, (int)value, call.has_limit, call.mask);
}

long fl_syscall(long number, long word, long operation, long value, long timeout, long other, long mask) {
#ifdef FL_PROGRESS
  return fl_counted_syscall(number, word, operation, value, timeout, other, mask);
#else
  struct call call;
  if (!begin(&call, number, operation, timeout, mask)) return -1;
  return call.waits ? wait_without_queue((int*)word, (int)value, call.has_limit) : 0;
#endif
}
