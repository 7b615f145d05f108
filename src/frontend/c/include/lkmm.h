// SPDX-License-Identifier: GPL-3.0-or-later
//
// Operations of the Linux kernel, as atomics and fences of C11 (tools/memory-model of the kernel describes them):
// READ_ONCE and its like are relaxed; an operation that returns a value has a full fence on both sides, unless its name
// says otherwise; one that returns nothing is relaxed; a compare-and-exchange that fails orders nothing. There is no
// RCU here.
#ifndef FENCELINE_LKMM_H
#define FENCELINE_LKMM_H

#include <fenceline.h>
#include <stdbool.h>

#ifdef __cplusplus
extern "C" {
#endif

void fl_fence_loads(void);   // earlier loads with later loads
void fl_fence_stores(void);  // earlier stores with later stores
int fl_mutex_lock(int* held);
int fl_spin_try_lock(int* held);
int fl_spin_unlock(int* held);

#ifdef __cplusplus
}
#endif

#define READ_ONCE(x) __atomic_load_n(&(x), __ATOMIC_RELAXED)
#define WRITE_ONCE(x, value) __atomic_store_n(&(x), (value), __ATOMIC_RELAXED)
#define smp_load_acquire(p) __atomic_load_n((p), __ATOMIC_ACQUIRE)
#define smp_store_release(p, value) __atomic_store_n((p), (value), __ATOMIC_RELEASE)
#define rcu_dereference(p) READ_ONCE(p)
#define rcu_assign_pointer(p, value) smp_store_release(&(p), (value))
#define smp_store_mb(x, value)  \
  do {                          \
    WRITE_ONCE((x), (value));   \
    smp_mb();                   \
  } while (0)

#define barrier() __asm__ __volatile__("" : : : "memory")
#define smp_mb() __atomic_thread_fence(__ATOMIC_SEQ_CST)
#define smp_rmb() fl_fence_loads()
#define smp_wmb() fl_fence_stores()
#define smp_mb__before_atomic() smp_mb()
#define smp_mb__after_atomic() smp_mb()
#define smp_mb__after_spinlock() smp_mb()
#define smp_mb__after_unlock_lock() smp_mb()
#define cpu_relax() ((void)0)

// ---- Exchanges ----

#define fl_full(operation)                             \
  __extension__({                                      \
    smp_mb();                                          \
    __typeof__(operation) fl_result_ = (operation);    \
    smp_mb();                                          \
    fl_result_;                                        \
  })

#define xchg(p, value) fl_full(__atomic_exchange_n((p), (value), __ATOMIC_RELAXED))
#define xchg_relaxed(p, value) __atomic_exchange_n((p), (value), __ATOMIC_RELAXED)
#define xchg_acquire(p, value) __atomic_exchange_n((p), (value), __ATOMIC_ACQUIRE)
#define xchg_release(p, value) __atomic_exchange_n((p), (value), __ATOMIC_RELEASE)

#define fl_cmpxchg(p, expected, desired, order)                                                                \
  __extension__({                                                                                              \
    __typeof__(*(p)) fl_old_ = (expected);                                                                     \
    __atomic_compare_exchange_n((p), &fl_old_, (desired), 0, (order), __ATOMIC_RELAXED);                       \
    fl_old_;                                                                                                   \
  })
#define cmpxchg_relaxed(p, expected, desired) fl_cmpxchg(p, expected, desired, __ATOMIC_RELAXED)
#define cmpxchg_acquire(p, expected, desired) fl_cmpxchg(p, expected, desired, __ATOMIC_ACQUIRE)
#define cmpxchg_release(p, expected, desired) fl_cmpxchg(p, expected, desired, __ATOMIC_RELEASE)
// Whether it succeeds decides whether there are fences, also the one in front of it: that is guessed.
#define cmpxchg(p, expected, desired)                                                                          \
  __extension__({                                                                                              \
    __typeof__(&*(p)) fl_location_ = (p);                                                                      \
    __typeof__(*(p)) fl_expected_ = (expected), fl_seen_;                                                      \
    if (fl_nondet(0, 1)) {                                                                                     \
      smp_mb();                                                                                                \
      fl_seen_ = fl_cmpxchg(fl_location_, fl_expected_, (desired), __ATOMIC_RELAXED);                          \
      fl_assume(fl_seen_ == fl_expected_);                                                                     \
      smp_mb();                                                                                                \
    } else {                                                                                                   \
      fl_seen_ = __atomic_load_n(fl_location_, __ATOMIC_RELAXED);                                              \
      fl_assume(fl_seen_ != fl_expected_);                                                                     \
    }                                                                                                          \
    fl_seen_;                                                                                                  \
  })

// ---- Counters ----

typedef struct {
  int counter;
} atomic_t;
typedef struct {
  long counter;
} atomic_long_t;
typedef atomic_long_t atomic64_t;
#define ATOMIC_INIT(value) {value}

#define atomic_read(v) READ_ONCE((v)->counter)
#define atomic_set(v, i) WRITE_ONCE((v)->counter, (i))
#define atomic_read_acquire(v) smp_load_acquire(&(v)->counter)
#define atomic_set_release(v, i) smp_store_release(&(v)->counter, (i))

#define atomic_add(i, v) ((void)__atomic_fetch_add(&(v)->counter, (i), __ATOMIC_RELAXED))
#define atomic_sub(i, v) ((void)__atomic_fetch_sub(&(v)->counter, (i), __ATOMIC_RELAXED))
#define atomic_and(i, v) ((void)__atomic_fetch_and(&(v)->counter, (i), __ATOMIC_RELAXED))
#define atomic_or(i, v) ((void)__atomic_fetch_or(&(v)->counter, (i), __ATOMIC_RELAXED))
#define atomic_xor(i, v) ((void)__atomic_fetch_xor(&(v)->counter, (i), __ATOMIC_RELAXED))
#define atomic_inc(v) atomic_add(1, v)
#define atomic_dec(v) atomic_sub(1, v)

#define atomic_fetch_add(i, v) fl_full(__atomic_fetch_add(&(v)->counter, (i), __ATOMIC_RELAXED))
#define atomic_fetch_sub(i, v) fl_full(__atomic_fetch_sub(&(v)->counter, (i), __ATOMIC_RELAXED))
#define atomic_fetch_and(i, v) fl_full(__atomic_fetch_and(&(v)->counter, (i), __ATOMIC_RELAXED))
#define atomic_fetch_or(i, v) fl_full(__atomic_fetch_or(&(v)->counter, (i), __ATOMIC_RELAXED))
#define atomic_fetch_xor(i, v) fl_full(__atomic_fetch_xor(&(v)->counter, (i), __ATOMIC_RELAXED))
#define atomic_fetch_inc(v) atomic_fetch_add(1, v)
#define atomic_fetch_dec(v) atomic_fetch_sub(1, v)
#define atomic_add_return(i, v) fl_full(__atomic_add_fetch(&(v)->counter, (i), __ATOMIC_RELAXED))
#define atomic_sub_return(i, v) fl_full(__atomic_sub_fetch(&(v)->counter, (i), __ATOMIC_RELAXED))
#define atomic_inc_return(v) atomic_add_return(1, v)
#define atomic_dec_return(v) atomic_sub_return(1, v)
#define atomic_xchg(v, i) xchg(&(v)->counter, (i))
#define atomic_cmpxchg(v, old, fresh) cmpxchg(&(v)->counter, (old), (fresh))

#define atomic_fetch_add_relaxed(i, v) __atomic_fetch_add(&(v)->counter, (i), __ATOMIC_RELAXED)
#define atomic_fetch_add_acquire(i, v) __atomic_fetch_add(&(v)->counter, (i), __ATOMIC_ACQUIRE)
#define atomic_fetch_add_release(i, v) __atomic_fetch_add(&(v)->counter, (i), __ATOMIC_RELEASE)
#define atomic_fetch_sub_relaxed(i, v) __atomic_fetch_sub(&(v)->counter, (i), __ATOMIC_RELAXED)
#define atomic_fetch_sub_acquire(i, v) __atomic_fetch_sub(&(v)->counter, (i), __ATOMIC_ACQUIRE)
#define atomic_fetch_sub_release(i, v) __atomic_fetch_sub(&(v)->counter, (i), __ATOMIC_RELEASE)
#define atomic_fetch_or_relaxed(i, v) __atomic_fetch_or(&(v)->counter, (i), __ATOMIC_RELAXED)
#define atomic_fetch_or_acquire(i, v) __atomic_fetch_or(&(v)->counter, (i), __ATOMIC_ACQUIRE)
#define atomic_fetch_or_release(i, v) __atomic_fetch_or(&(v)->counter, (i), __ATOMIC_RELEASE)
#define atomic_fetch_and_relaxed(i, v) __atomic_fetch_and(&(v)->counter, (i), __ATOMIC_RELAXED)
#define atomic_fetch_and_acquire(i, v) __atomic_fetch_and(&(v)->counter, (i), __ATOMIC_ACQUIRE)
#define atomic_fetch_and_release(i, v) __atomic_fetch_and(&(v)->counter, (i), __ATOMIC_RELEASE)
#define atomic_fetch_inc_relaxed(v) atomic_fetch_add_relaxed(1, v)
#define atomic_fetch_inc_acquire(v) atomic_fetch_add_acquire(1, v)
#define atomic_fetch_inc_release(v) atomic_fetch_add_release(1, v)
#define atomic_fetch_dec_relaxed(v) atomic_fetch_sub_relaxed(1, v)
#define atomic_fetch_dec_acquire(v) atomic_fetch_sub_acquire(1, v)
#define atomic_fetch_dec_release(v) atomic_fetch_sub_release(1, v)
#define atomic_add_return_relaxed(i, v) __atomic_add_fetch(&(v)->counter, (i), __ATOMIC_RELAXED)
#define atomic_add_return_acquire(i, v) __atomic_add_fetch(&(v)->counter, (i), __ATOMIC_ACQUIRE)
#define atomic_add_return_release(i, v) __atomic_add_fetch(&(v)->counter, (i), __ATOMIC_RELEASE)
#define atomic_sub_return_relaxed(i, v) __atomic_sub_fetch(&(v)->counter, (i), __ATOMIC_RELAXED)
#define atomic_sub_return_acquire(i, v) __atomic_sub_fetch(&(v)->counter, (i), __ATOMIC_ACQUIRE)
#define atomic_sub_return_release(i, v) __atomic_sub_fetch(&(v)->counter, (i), __ATOMIC_RELEASE)
#define atomic_inc_return_relaxed(v) atomic_add_return_relaxed(1, v)
#define atomic_inc_return_acquire(v) atomic_add_return_acquire(1, v)
#define atomic_inc_return_release(v) atomic_add_return_release(1, v)
#define atomic_dec_return_relaxed(v) atomic_sub_return_relaxed(1, v)
#define atomic_dec_return_acquire(v) atomic_sub_return_acquire(1, v)
#define atomic_dec_return_release(v) atomic_sub_return_release(1, v)
#define atomic_xchg_relaxed(v, i) xchg_relaxed(&(v)->counter, (i))
#define atomic_xchg_acquire(v, i) xchg_acquire(&(v)->counter, (i))
#define atomic_xchg_release(v, i) xchg_release(&(v)->counter, (i))
#define atomic_cmpxchg_relaxed(v, old, fresh) cmpxchg_relaxed(&(v)->counter, (old), (fresh))
#define atomic_cmpxchg_acquire(v, old, fresh) cmpxchg_acquire(&(v)->counter, (old), (fresh))
#define atomic_cmpxchg_release(v, old, fresh) cmpxchg_release(&(v)->counter, (old), (fresh))

#define atomic_sub_and_test(i, v) (atomic_sub_return(i, v) == 0)
#define atomic_dec_and_test(v) (atomic_dec_return(v) == 0)
#define atomic_inc_and_test(v) (atomic_inc_return(v) == 0)
#define atomic_add_negative(i, v) (atomic_add_return(i, v) < 0)

// ---- Locks ----

typedef struct {
  int held;
} spinlock_t;
#define DEFINE_SPINLOCK(name) spinlock_t name = {0}
#define spin_lock_init(l) ((void)((l)->held = 0))
#define spin_lock(l) ((void)fl_mutex_lock(&(l)->held))
#define spin_unlock(l) ((void)fl_spin_unlock(&(l)->held))
#define spin_trylock(l) (fl_spin_try_lock(&(l)->held) == 0)
#define spin_is_locked(l) (READ_ONCE((l)->held) != 0)

#endif
