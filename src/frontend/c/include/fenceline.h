// SPDX-License-Identifier: GPL-3.0-or-later
//
// The interface of Fenceline for C and C++ programs. The functions that are only declared here are known to
// Fenceline by name; the others are defined with them. To run such a program without the checker, link it
// with bodies for them.
#ifndef FENCELINE_H
#define FENCELINE_H

#ifdef __cplusplus
extern "C" {
#endif

// The condition must hold. If it does not, the execution is an error.
void fl_assert(int condition);

// An execution in which the condition does not hold does not count: it neither fails nor ends, and it is no
// deadlock.
void fl_assume(int condition);

// Any number from low to high.
long fl_nondet(long low, long high);

// Keeps accesses before it in order with accesses behind it. `kinds` is a literal: "load-load", "load-store",
// "store-load" and "store-store", several with commas between them, or "full" for all four.
void fl_fence(const char* kinds);

// What is between them is one step. It has no loop, no fence and no exit but its end.
void fl_atomic_begin(void);
void fl_atomic_end(void);

// Marks where an operation begins again because another thread interfered. Tests with primed operations
// leave out the executions that come here; otherwise it does nothing. A checker that supports it defines
// FL_RETRY.
#ifdef FL_RETRY
void fl_retry(void);
void fl_wait(int condition);  // what fl_await() ends with
#else
#define fl_retry() ((void)0)
#define fl_wait(condition) fl_assume(condition)
#endif

#ifdef __cplusplus
}
#endif

// fl_atomic(a = x; x = a + 1;): statements that are one step.
#define fl_atomic(...) \
  do {                 \
    fl_atomic_begin(); \
    __VA_ARGS__        \
    fl_atomic_end();   \
  } while (0)

// fl_await(c): waits until c holds. The iterations in which it does not hold have no effect, so one iteration
// represents them all; c must have no side effect when it does not hold.
#ifndef fl_await
#define fl_await(condition) fl_wait((condition) ? 1 : 0)
#endif

// fl_cas(p, o, n): if *p is o, it becomes n, all in one step; 1 if so, otherwise 0. It is no fence, and an
// access without order.
#define fl_cas(location, old_value, new_value)                                               \
  __extension__({                                                                            \
    __typeof__(*(location)) fl_expected_ = (old_value);                                      \
    __atomic_compare_exchange_n((location), &fl_expected_, (new_value), 0, __ATOMIC_RELAXED, \
                                __ATOMIC_RELAXED)                                            \
        ? 1                                                                                  \
        : 0;                                                                                 \
  })

// fl_dcas(p, q, o, oo, n, nn): the same with two locations.
#define fl_dcas(location1, location2, old1, old2, new1, new2)       \
  __extension__({                                                   \
    __typeof__(&*(location1)) fl_location1_ = (location1);          \
    __typeof__(&*(location2)) fl_location2_ = (location2);          \
    __typeof__(*(location1)) fl_old1_ = (old1), fl_new1_ = (new1);  \
    __typeof__(*(location2)) fl_old2_ = (old2), fl_new2_ = (new2);  \
    int fl_done_ = 0;                                               \
    fl_atomic_begin();                                              \
    if (*fl_location1_ == fl_old1_ && *fl_location2_ == fl_old2_) { \
      *fl_location1_ = fl_new1_;                                    \
      *fl_location2_ = fl_new2_;                                    \
      fl_done_ = 1;                                                 \
    }                                                               \
    fl_atomic_end();                                                \
    fl_done_;                                                       \
  })

// A lock. It waits; it does not spin.
typedef struct {
  int held;
} fl_lock_t;

static inline void fl_lock(fl_lock_t* lock) {
  fl_atomic_begin();
  int held = lock->held;
  fl_assume(held == 0);
  lock->held = 1;
  fl_atomic_end();
  fl_fence("load-load, load-store");
}

static inline void fl_unlock(fl_lock_t* lock) {
  fl_fence("load-store, store-store");
  fl_atomic_begin();
  fl_assert(lock->held == 1);
  lock->held = 0;
  fl_atomic_end();
}

// fl_numbered_fence(n, kinds): a fence that -DFL_WITHOUT=n leaves out; -DFL_WITHOUT=-1 leaves out all of
// them. Numbers begin with 1.
#ifndef FL_WITHOUT
#define FL_WITHOUT 0
#endif
#define fl_numbered_fence(n, kinds) ((FL_WITHOUT) == (n) || (FL_WITHOUT) == -1 ? (void)0 : fl_fence(kinds))

// fl_order(n, order): a memory order of C11 or C++ that -DFL_WEAKEN=n makes relaxed; -DFL_WEAKEN=-1 makes all
// of them relaxed. Numbers begin with 1. <stdatomic.h> or <atomic> must have been included where it is used.
#ifndef FL_WEAKEN
#define FL_WEAKEN 0
#endif
#ifdef __cplusplus
#define fl_order(n, order) ((FL_WEAKEN) == (n) || (FL_WEAKEN) == -1 ? std::memory_order_relaxed : (order))
#else
#define fl_order(n, order) ((FL_WEAKEN) == (n) || (FL_WEAKEN) == -1 ? memory_order_relaxed : (order))
#endif

#endif
