// SPDX-License-Identifier: GPL-3.0-or-later
//
// Operations of the Linux kernel, as atomics and fences of C11 (tools/memory-model of the kernel describes them):
// READ_ONCE and its like are relaxed; an operation that returns a value has a full fence on both sides, unless its name
// says otherwise; one that returns nothing is relaxed; one that is conditional and changes nothing orders nothing. There
// is no RCU here.
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
    __typeof__(*(p)) fl_expected_ = (expected), fl_desired_ = (desired), fl_seen_;                             \
    if (fl_nondet(0, 1)) {                                                                                     \
      smp_mb();                                                                                                \
      fl_seen_ = fl_cmpxchg(fl_location_, fl_expected_, fl_desired_, __ATOMIC_RELAXED);                        \
      fl_assume(fl_seen_ == fl_expected_);                                                                     \
      smp_mb();                                                                                                \
    } else {                                                                                                   \
      fl_seen_ = __atomic_load_n(fl_location_, __ATOMIC_RELAXED);                                              \
      fl_assume(fl_seen_ != fl_expected_);                                                                     \
    }                                                                                                          \
    fl_seen_;                                                                                                  \
  })

// Returns whether it succeeds; if not, *expected becomes what was seen.
#define fl_try_cmpxchg(exchange, p, expected, desired)                                                         \
  __extension__({                                                                                              \
    __typeof__(&*(expected)) fl_wanted_ = (expected);                                                          \
    __typeof__(*(p)) fl_before_ = *fl_wanted_, fl_found_ = exchange((p), fl_before_, (desired));               \
    if (fl_found_ != fl_before_) *fl_wanted_ = fl_found_;                                                      \
    fl_found_ == fl_before_;                                                                                   \
  })
#define try_cmpxchg(p, expected, desired) fl_try_cmpxchg(cmpxchg, p, expected, desired)
#define try_cmpxchg_relaxed(p, expected, desired) fl_try_cmpxchg(cmpxchg_relaxed, p, expected, desired)
#define try_cmpxchg_acquire(p, expected, desired) fl_try_cmpxchg(cmpxchg_acquire, p, expected, desired)
#define try_cmpxchg_release(p, expected, desired) fl_try_cmpxchg(cmpxchg_release, p, expected, desired)
// Exchanges what is seen (VAL) if the condition holds for it, and returns it. As for cmpxchg, it is guessed whether.
#define fl_exchange_if(p, condition, desired)                                                                  \
  __extension__({                                                                                              \
    __typeof__(&*(p)) fl_location_ = (p);                                                                      \
    __typeof__(*(p)) VAL;                                                                                      \
    if (fl_nondet(0, 1)) {                                                                                     \
      smp_mb();                                                                                                \
      VAL = __atomic_load_n(fl_location_, __ATOMIC_RELAXED);                                                   \
      fl_assume(condition);                                                                                    \
      fl_assume(fl_cmpxchg(fl_location_, VAL, (desired), __ATOMIC_RELAXED) == VAL);                            \
      smp_mb();                                                                                                \
    } else {                                                                                                   \
      VAL = __atomic_load_n(fl_location_, __ATOMIC_RELAXED);                                                   \
      fl_assume(!(condition));                                                                                 \
    }                                                                                                          \
    VAL;                                                                                                       \
  })
// Waits until the condition holds for what is seen (VAL), and returns it.
#define fl_cond_load(p, condition, order)                                                                      \
  __extension__({                                                                                              \
    __typeof__(&*(p)) fl_location_ = (p);                                                                      \
    __typeof__(*(p)) VAL = __atomic_load_n(fl_location_, (order));                                             \
    while (!(condition)) VAL = __atomic_load_n(fl_location_, (order));                                         \
    VAL;                                                                                                       \
  })
#define smp_cond_load_relaxed(p, condition) fl_cond_load(p, condition, __ATOMIC_RELAXED)
#define smp_cond_load_acquire(p, condition) fl_cond_load(p, condition, __ATOMIC_ACQUIRE)

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

#define atomic_try_cmpxchg(v, old, fresh) try_cmpxchg(&(v)->counter, (old), (fresh))
#define atomic_try_cmpxchg_relaxed(v, old, fresh) try_cmpxchg_relaxed(&(v)->counter, (old), (fresh))
#define atomic_try_cmpxchg_acquire(v, old, fresh) try_cmpxchg_acquire(&(v)->counter, (old), (fresh))
#define atomic_try_cmpxchg_release(v, old, fresh) try_cmpxchg_release(&(v)->counter, (old), (fresh))
// These order nothing if they change nothing.
#define atomic_fetch_add_unless(v, i, u) fl_exchange_if(&(v)->counter, VAL != (u), VAL + (i))
#define atomic_add_unless(v, i, u) (atomic_fetch_add_unless(v, i, u) != (u))
#define atomic_inc_not_zero(v) atomic_add_unless(v, 1, 0)
#define atomic_inc_unless_negative(v) (fl_exchange_if(&(v)->counter, VAL >= 0, VAL + 1) >= 0)
#define atomic_dec_unless_positive(v) (fl_exchange_if(&(v)->counter, VAL <= 0, VAL - 1) <= 0)
#define atomic_dec_if_positive(v) (fl_exchange_if(&(v)->counter, VAL > 0, VAL - 1) - 1)
#define atomic_cond_read_relaxed(v, condition) smp_cond_load_relaxed(&(v)->counter, condition)
#define atomic_cond_read_acquire(v, condition) smp_cond_load_acquire(&(v)->counter, condition)

// ---- Counters of 64 bits ----

#define ATOMIC64_INIT(value) {value}
#define ATOMIC_LONG_INIT(value) {value}

#define atomic64_read(v) atomic_read(v)
#define atomic64_set(v, i) atomic_set(v, i)
#define atomic64_read_acquire(v) atomic_read_acquire(v)
#define atomic64_set_release(v, i) atomic_set_release(v, i)
#define atomic64_add(i, v) atomic_add(i, v)
#define atomic64_sub(i, v) atomic_sub(i, v)
#define atomic64_and(i, v) atomic_and(i, v)
#define atomic64_or(i, v) atomic_or(i, v)
#define atomic64_xor(i, v) atomic_xor(i, v)
#define atomic64_inc(v) atomic_inc(v)
#define atomic64_dec(v) atomic_dec(v)
#define atomic64_fetch_add(i, v) atomic_fetch_add(i, v)
#define atomic64_fetch_sub(i, v) atomic_fetch_sub(i, v)
#define atomic64_fetch_and(i, v) atomic_fetch_and(i, v)
#define atomic64_fetch_or(i, v) atomic_fetch_or(i, v)
#define atomic64_fetch_xor(i, v) atomic_fetch_xor(i, v)
#define atomic64_fetch_inc(v) atomic_fetch_inc(v)
#define atomic64_fetch_dec(v) atomic_fetch_dec(v)
#define atomic64_add_return(i, v) atomic_add_return(i, v)
#define atomic64_sub_return(i, v) atomic_sub_return(i, v)
#define atomic64_inc_return(v) atomic_inc_return(v)
#define atomic64_dec_return(v) atomic_dec_return(v)
#define atomic64_xchg(v, i) atomic_xchg(v, i)
#define atomic64_cmpxchg(v, old, fresh) atomic_cmpxchg(v, old, fresh)
#define atomic64_fetch_add_relaxed(i, v) atomic_fetch_add_relaxed(i, v)
#define atomic64_fetch_add_acquire(i, v) atomic_fetch_add_acquire(i, v)
#define atomic64_fetch_add_release(i, v) atomic_fetch_add_release(i, v)
#define atomic64_fetch_sub_relaxed(i, v) atomic_fetch_sub_relaxed(i, v)
#define atomic64_fetch_sub_acquire(i, v) atomic_fetch_sub_acquire(i, v)
#define atomic64_fetch_sub_release(i, v) atomic_fetch_sub_release(i, v)
#define atomic64_fetch_or_relaxed(i, v) atomic_fetch_or_relaxed(i, v)
#define atomic64_fetch_or_acquire(i, v) atomic_fetch_or_acquire(i, v)
#define atomic64_fetch_or_release(i, v) atomic_fetch_or_release(i, v)
#define atomic64_fetch_and_relaxed(i, v) atomic_fetch_and_relaxed(i, v)
#define atomic64_fetch_and_acquire(i, v) atomic_fetch_and_acquire(i, v)
#define atomic64_fetch_and_release(i, v) atomic_fetch_and_release(i, v)
#define atomic64_fetch_inc_relaxed(v) atomic_fetch_inc_relaxed(v)
#define atomic64_fetch_inc_acquire(v) atomic_fetch_inc_acquire(v)
#define atomic64_fetch_inc_release(v) atomic_fetch_inc_release(v)
#define atomic64_fetch_dec_relaxed(v) atomic_fetch_dec_relaxed(v)
#define atomic64_fetch_dec_acquire(v) atomic_fetch_dec_acquire(v)
#define atomic64_fetch_dec_release(v) atomic_fetch_dec_release(v)
#define atomic64_add_return_relaxed(i, v) atomic_add_return_relaxed(i, v)
#define atomic64_add_return_acquire(i, v) atomic_add_return_acquire(i, v)
#define atomic64_add_return_release(i, v) atomic_add_return_release(i, v)
#define atomic64_sub_return_relaxed(i, v) atomic_sub_return_relaxed(i, v)
#define atomic64_sub_return_acquire(i, v) atomic_sub_return_acquire(i, v)
#define atomic64_sub_return_release(i, v) atomic_sub_return_release(i, v)
#define atomic64_inc_return_relaxed(v) atomic_inc_return_relaxed(v)
#define atomic64_inc_return_acquire(v) atomic_inc_return_acquire(v)
#define atomic64_inc_return_release(v) atomic_inc_return_release(v)
#define atomic64_dec_return_relaxed(v) atomic_dec_return_relaxed(v)
#define atomic64_dec_return_acquire(v) atomic_dec_return_acquire(v)
#define atomic64_dec_return_release(v) atomic_dec_return_release(v)
#define atomic64_xchg_relaxed(v, i) atomic_xchg_relaxed(v, i)
#define atomic64_xchg_acquire(v, i) atomic_xchg_acquire(v, i)
#define atomic64_xchg_release(v, i) atomic_xchg_release(v, i)
#define atomic64_cmpxchg_relaxed(v, old, fresh) atomic_cmpxchg_relaxed(v, old, fresh)
#define atomic64_cmpxchg_acquire(v, old, fresh) atomic_cmpxchg_acquire(v, old, fresh)
#define atomic64_cmpxchg_release(v, old, fresh) atomic_cmpxchg_release(v, old, fresh)
#define atomic64_sub_and_test(i, v) atomic_sub_and_test(i, v)
#define atomic64_dec_and_test(v) atomic_dec_and_test(v)
#define atomic64_inc_and_test(v) atomic_inc_and_test(v)
#define atomic64_add_negative(i, v) atomic_add_negative(i, v)
#define atomic64_try_cmpxchg(v, old, fresh) atomic_try_cmpxchg(v, old, fresh)
#define atomic64_try_cmpxchg_relaxed(v, old, fresh) atomic_try_cmpxchg_relaxed(v, old, fresh)
#define atomic64_try_cmpxchg_acquire(v, old, fresh) atomic_try_cmpxchg_acquire(v, old, fresh)
#define atomic64_try_cmpxchg_release(v, old, fresh) atomic_try_cmpxchg_release(v, old, fresh)
#define atomic64_fetch_add_unless(v, i, u) atomic_fetch_add_unless(v, i, u)
#define atomic64_add_unless(v, i, u) atomic_add_unless(v, i, u)
#define atomic64_inc_not_zero(v) atomic_inc_not_zero(v)
#define atomic64_inc_unless_negative(v) atomic_inc_unless_negative(v)
#define atomic64_dec_unless_positive(v) atomic_dec_unless_positive(v)
#define atomic64_dec_if_positive(v) atomic_dec_if_positive(v)
#define atomic64_cond_read_relaxed(v, condition) atomic_cond_read_relaxed(v, condition)
#define atomic64_cond_read_acquire(v, condition) atomic_cond_read_acquire(v, condition)

#define atomic_long_read(v) atomic_read(v)
#define atomic_long_set(v, i) atomic_set(v, i)
#define atomic_long_read_acquire(v) atomic_read_acquire(v)
#define atomic_long_set_release(v, i) atomic_set_release(v, i)
#define atomic_long_add(i, v) atomic_add(i, v)
#define atomic_long_sub(i, v) atomic_sub(i, v)
#define atomic_long_and(i, v) atomic_and(i, v)
#define atomic_long_or(i, v) atomic_or(i, v)
#define atomic_long_xor(i, v) atomic_xor(i, v)
#define atomic_long_inc(v) atomic_inc(v)
#define atomic_long_dec(v) atomic_dec(v)
#define atomic_long_fetch_add(i, v) atomic_fetch_add(i, v)
#define atomic_long_fetch_sub(i, v) atomic_fetch_sub(i, v)
#define atomic_long_fetch_and(i, v) atomic_fetch_and(i, v)
#define atomic_long_fetch_or(i, v) atomic_fetch_or(i, v)
#define atomic_long_fetch_xor(i, v) atomic_fetch_xor(i, v)
#define atomic_long_fetch_inc(v) atomic_fetch_inc(v)
#define atomic_long_fetch_dec(v) atomic_fetch_dec(v)
#define atomic_long_add_return(i, v) atomic_add_return(i, v)
#define atomic_long_sub_return(i, v) atomic_sub_return(i, v)
#define atomic_long_inc_return(v) atomic_inc_return(v)
#define atomic_long_dec_return(v) atomic_dec_return(v)
#define atomic_long_xchg(v, i) atomic_xchg(v, i)
#define atomic_long_cmpxchg(v, old, fresh) atomic_cmpxchg(v, old, fresh)
#define atomic_long_fetch_add_relaxed(i, v) atomic_fetch_add_relaxed(i, v)
#define atomic_long_fetch_add_acquire(i, v) atomic_fetch_add_acquire(i, v)
#define atomic_long_fetch_add_release(i, v) atomic_fetch_add_release(i, v)
#define atomic_long_fetch_sub_relaxed(i, v) atomic_fetch_sub_relaxed(i, v)
#define atomic_long_fetch_sub_acquire(i, v) atomic_fetch_sub_acquire(i, v)
#define atomic_long_fetch_sub_release(i, v) atomic_fetch_sub_release(i, v)
#define atomic_long_fetch_or_relaxed(i, v) atomic_fetch_or_relaxed(i, v)
#define atomic_long_fetch_or_acquire(i, v) atomic_fetch_or_acquire(i, v)
#define atomic_long_fetch_or_release(i, v) atomic_fetch_or_release(i, v)
#define atomic_long_fetch_and_relaxed(i, v) atomic_fetch_and_relaxed(i, v)
#define atomic_long_fetch_and_acquire(i, v) atomic_fetch_and_acquire(i, v)
#define atomic_long_fetch_and_release(i, v) atomic_fetch_and_release(i, v)
#define atomic_long_fetch_inc_relaxed(v) atomic_fetch_inc_relaxed(v)
#define atomic_long_fetch_inc_acquire(v) atomic_fetch_inc_acquire(v)
#define atomic_long_fetch_inc_release(v) atomic_fetch_inc_release(v)
#define atomic_long_fetch_dec_relaxed(v) atomic_fetch_dec_relaxed(v)
#define atomic_long_fetch_dec_acquire(v) atomic_fetch_dec_acquire(v)
#define atomic_long_fetch_dec_release(v) atomic_fetch_dec_release(v)
#define atomic_long_add_return_relaxed(i, v) atomic_add_return_relaxed(i, v)
#define atomic_long_add_return_acquire(i, v) atomic_add_return_acquire(i, v)
#define atomic_long_add_return_release(i, v) atomic_add_return_release(i, v)
#define atomic_long_sub_return_relaxed(i, v) atomic_sub_return_relaxed(i, v)
#define atomic_long_sub_return_acquire(i, v) atomic_sub_return_acquire(i, v)
#define atomic_long_sub_return_release(i, v) atomic_sub_return_release(i, v)
#define atomic_long_inc_return_relaxed(v) atomic_inc_return_relaxed(v)
#define atomic_long_inc_return_acquire(v) atomic_inc_return_acquire(v)
#define atomic_long_inc_return_release(v) atomic_inc_return_release(v)
#define atomic_long_dec_return_relaxed(v) atomic_dec_return_relaxed(v)
#define atomic_long_dec_return_acquire(v) atomic_dec_return_acquire(v)
#define atomic_long_dec_return_release(v) atomic_dec_return_release(v)
#define atomic_long_xchg_relaxed(v, i) atomic_xchg_relaxed(v, i)
#define atomic_long_xchg_acquire(v, i) atomic_xchg_acquire(v, i)
#define atomic_long_xchg_release(v, i) atomic_xchg_release(v, i)
#define atomic_long_cmpxchg_relaxed(v, old, fresh) atomic_cmpxchg_relaxed(v, old, fresh)
#define atomic_long_cmpxchg_acquire(v, old, fresh) atomic_cmpxchg_acquire(v, old, fresh)
#define atomic_long_cmpxchg_release(v, old, fresh) atomic_cmpxchg_release(v, old, fresh)
#define atomic_long_sub_and_test(i, v) atomic_sub_and_test(i, v)
#define atomic_long_dec_and_test(v) atomic_dec_and_test(v)
#define atomic_long_inc_and_test(v) atomic_inc_and_test(v)
#define atomic_long_add_negative(i, v) atomic_add_negative(i, v)
#define atomic_long_try_cmpxchg(v, old, fresh) atomic_try_cmpxchg(v, old, fresh)
#define atomic_long_try_cmpxchg_relaxed(v, old, fresh) atomic_try_cmpxchg_relaxed(v, old, fresh)
#define atomic_long_try_cmpxchg_acquire(v, old, fresh) atomic_try_cmpxchg_acquire(v, old, fresh)
#define atomic_long_try_cmpxchg_release(v, old, fresh) atomic_try_cmpxchg_release(v, old, fresh)
#define atomic_long_fetch_add_unless(v, i, u) atomic_fetch_add_unless(v, i, u)
#define atomic_long_add_unless(v, i, u) atomic_add_unless(v, i, u)
#define atomic_long_inc_not_zero(v) atomic_inc_not_zero(v)
#define atomic_long_inc_unless_negative(v) atomic_inc_unless_negative(v)
#define atomic_long_dec_unless_positive(v) atomic_dec_unless_positive(v)
#define atomic_long_dec_if_positive(v) atomic_dec_if_positive(v)
#define atomic_long_cond_read_relaxed(v, condition) atomic_cond_read_relaxed(v, condition)
#define atomic_long_cond_read_acquire(v, condition) atomic_cond_read_acquire(v, condition)

// ---- Bits ----

static inline unsigned long* fl_word(long number, const volatile void* words) {
  return (unsigned long*)words + (unsigned long)number / 64;
}
static inline unsigned long fl_bit(long number) { return 1UL << (unsigned long)number % 64; }

static inline bool test_bit(long number, const volatile void* words) {
  return (READ_ONCE(*fl_word(number, words)) & fl_bit(number)) != 0;
}
static inline void set_bit(long number, volatile void* words) {
  __atomic_fetch_or(fl_word(number, words), fl_bit(number), __ATOMIC_RELAXED);
}
static inline void clear_bit(long number, volatile void* words) {
  __atomic_fetch_and(fl_word(number, words), ~fl_bit(number), __ATOMIC_RELAXED);
}
static inline void change_bit(long number, volatile void* words) {
  __atomic_fetch_xor(fl_word(number, words), fl_bit(number), __ATOMIC_RELAXED);
}
static inline bool test_and_set_bit(long number, volatile void* words) {
  return (fl_full(__atomic_fetch_or(fl_word(number, words), fl_bit(number), __ATOMIC_RELAXED)) & fl_bit(number)) != 0;
}
static inline bool test_and_clear_bit(long number, volatile void* words) {
  return (fl_full(__atomic_fetch_and(fl_word(number, words), ~fl_bit(number), __ATOMIC_RELAXED)) & fl_bit(number)) != 0;
}
static inline bool test_and_change_bit(long number, volatile void* words) {
  return (fl_full(__atomic_fetch_xor(fl_word(number, words), fl_bit(number), __ATOMIC_RELAXED)) & fl_bit(number)) != 0;
}
// Acquires if the bit was 0, else orders nothing: then the load has read the 1.
static inline bool test_and_set_bit_lock(long number, volatile void* words) {
  if (test_bit(number, words)) return true;
  fl_assume((__atomic_fetch_or(fl_word(number, words), fl_bit(number), __ATOMIC_ACQUIRE) & fl_bit(number)) == 0);
  return false;
}
static inline void clear_bit_unlock(long number, volatile void* words) {
  __atomic_fetch_and(fl_word(number, words), ~fl_bit(number), __ATOMIC_RELEASE);
}

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
// There are no interrupts.
#define spin_lock_irq(l) spin_lock(l)
#define spin_unlock_irq(l) spin_unlock(l)
#define spin_lock_bh(l) spin_lock(l)
#define spin_unlock_bh(l) spin_unlock(l)
#define spin_lock_irqsave(l, flags) ((flags) = 0, spin_lock(l))
#define spin_unlock_irqrestore(l, flags) ((void)(flags), spin_unlock(l))
typedef spinlock_t raw_spinlock_t;
#define DEFINE_RAW_SPINLOCK(name) DEFINE_SPINLOCK(name)
#define raw_spin_lock_init(l) spin_lock_init(l)
#define raw_spin_lock(l) spin_lock(l)
#define raw_spin_unlock(l) spin_unlock(l)
#define raw_spin_trylock(l) spin_trylock(l)
#define raw_spin_lock_irqsave(l, flags) spin_lock_irqsave(l, flags)
#define raw_spin_unlock_irqrestore(l, flags) spin_unlock_irqrestore(l, flags)

#endif
