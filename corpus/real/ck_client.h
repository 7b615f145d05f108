// SPDX-License-Identifier: GPL-3.0-or-later
//
// The operations of Concurrency Kit (ck_pr.h), and mutations of them: after its definition a fence or an atomic
// operation is replaced by something weaker, and the data structure that is included next uses that.
//
//  WITHOUT_LOCK, WITHOUT_UNLOCK, WITHOUT_LOAD, WITHOUT_STORE, WITHOUT_ATOMIC_LOAD, WITHOUT_STORE_ATOMIC
//      the fence of this name is only a barrier for the compiler
//  SPLIT_FAS, SPLIT_CAS, SPLIT_FAA, SPLIT_DEC
//      the read-modify-write is a load and a store, as without the prefix `lock`
//
// Debian's ck_md.h is that of x86 (CK_MD_TSO): most fences are empty, and only the models sc and tso are meant.
// For others -D CK_MD_RMO -D CK_USE_CC_BUILTINS=1 selects all fences and the compiler's atomics. -D CK_MD_RMO alone is
// the library's own assembly of AArch64 and Power (its configure script defines __ppc64__ there), with --target.
#ifndef FENCELINE_REAL_CK_CLIENT_H
#define FENCELINE_REAL_CK_CLIENT_H
#include <ck_pr.h>

#ifdef WITHOUT_LOCK
#define ck_pr_fence_lock() ck_pr_barrier()
#endif
#ifdef WITHOUT_UNLOCK
#define ck_pr_fence_unlock() ck_pr_barrier()
#endif
#ifdef WITHOUT_LOAD
#define ck_pr_fence_load() ck_pr_barrier()
#endif
#ifdef WITHOUT_STORE
#define ck_pr_fence_store() ck_pr_barrier()
#endif
#ifdef WITHOUT_ATOMIC_LOAD
#define ck_pr_fence_atomic_load() ck_pr_barrier()
#endif
#ifdef WITHOUT_STORE_ATOMIC
#define ck_pr_fence_store_atomic() ck_pr_barrier()
#endif

#ifdef SPLIT_FAS
static inline unsigned int split_fas_uint(unsigned int* target, unsigned int value) {
  unsigned int old = ck_pr_load_uint(target);
  ck_pr_store_uint(target, value);
  return old;
}
static inline void* split_fas_ptr(void* target, void* value) {
  void* old = ck_pr_load_ptr((void**)target);
  ck_pr_store_ptr_unsafe(target, value);
  return old;
}
static inline uint8_t split_fas_8(uint8_t* target, uint8_t value) {
  uint8_t old = ck_pr_load_8(target);
  ck_pr_store_8(target, value);
  return old;
}
#define ck_pr_fas_8(target, value) split_fas_8(target, value)
#define ck_pr_fas_uint(target, value) split_fas_uint(target, value)
#define ck_pr_fas_ptr(target, value) split_fas_ptr(target, value)
#endif

#ifdef SPLIT_CAS
#define SPLIT_CAS_OF(name, type)                                                                    \
  static inline bool split_cas_##name##_value(type* target, type expected, type value, type* old) { \
    *old = ck_pr_load_##name(target);                                                               \
    if (*old != expected) return false;                                                             \
    ck_pr_store_##name(target, value);                                                              \
    return true;                                                                                    \
  }                                                                                                 \
  static inline bool split_cas_##name(type* target, type expected, type value) {                    \
    type old;                                                                                       \
    return split_cas_##name##_value(target, expected, value, &old);                                 \
  }
SPLIT_CAS_OF(uint, unsigned int)
SPLIT_CAS_OF(32, uint32_t)
static inline bool split_cas_ptr_value(void* target, void* expected, void* value, void* result) {
  void* old = ck_pr_load_ptr((void**)target);
  *(void**)result = old;
  if (old != expected) return false;
  ck_pr_store_ptr_unsafe(target, value);
  return true;
}
static inline bool split_cas_ptr_2_value(void* target, void* expected, void* value, void* result) {
  void **all = (void**)target, **old = (void**)result;
  old[0] = ck_pr_load_ptr(&all[0]);
  old[1] = ck_pr_load_ptr(&all[1]);
  if (old[0] != ((void**)expected)[0] || old[1] != ((void**)expected)[1]) return false;
  ck_pr_store_ptr_unsafe(&all[0], ((void**)value)[0]);
  ck_pr_store_ptr_unsafe(&all[1], ((void**)value)[1]);
  return true;
}
static inline bool split_cas_ptr_2(void* target, void* expected, void* value) {
  void* old[2];
  return split_cas_ptr_2_value(target, expected, value, old);
}
#define ck_pr_cas_ptr_2(target, expected, value) split_cas_ptr_2(target, expected, value)
#define ck_pr_cas_ptr_2_value(target, expected, value, old) split_cas_ptr_2_value(target, expected, value, old)
#define ck_pr_cas_uint(target, expected, value) split_cas_uint(target, expected, value)
#define ck_pr_cas_uint_value(target, expected, value, old) split_cas_uint_value(target, expected, value, old)
#define ck_pr_cas_32_value(target, expected, value, old) split_cas_32_value(target, expected, value, old)
#define ck_pr_cas_ptr_value(target, expected, value, old) split_cas_ptr_value(target, expected, value, old)
#endif

#ifdef SPLIT_FAA
#define SPLIT_FAA_OF(name, type)                                         \
  static inline type split_faa_##name(type* target, type difference) {   \
    type old = ck_pr_load_##name(target);                                \
    ck_pr_store_##name(target, old + difference);                        \
    return old;                                                          \
  }
SPLIT_FAA_OF(uint, unsigned int)
SPLIT_FAA_OF(32, uint32_t)
#define ck_pr_faa_uint(target, difference) split_faa_uint(target, difference)
#define ck_pr_faa_32(target, difference) split_faa_32(target, difference)
#endif

#ifdef SPLIT_DEC
static inline void split_dec_uint_zero(unsigned int* target, bool* zero) {
  unsigned int value = ck_pr_load_uint(target) - 1;
  ck_pr_store_uint(target, value);
  *zero = value == 0;
}
#define ck_pr_dec_uint_zero(target, zero) split_dec_uint_zero(target, zero)
#endif

#endif
