// SPDX-License-Identifier: GPL-3.0-or-later
//
// The atomic operations of liburcu (uatomic.h), and mutations of them: SPLIT_XCHG and SPLIT_CMPXCHG make the
// read-modify-write a load and a store, as without the prefix `lock`.
#ifndef FENCELINE_REAL_URCU_CLIENT_H
#define FENCELINE_REAL_URCU_CLIENT_H
#include <pthread.h>
#include <stdbool.h>
#include <urcu/compiler.h>
#include <urcu/uatomic.h>

#ifdef SPLIT_XCHG
#undef uatomic_xchg
#define uatomic_xchg(address, value)          \
  __extension__({                             \
    __typeof__(*(address)) old_ = uatomic_read(address); \
    uatomic_set(address, value);              \
    old_;                                     \
  })
#endif

#ifdef SPLIT_CMPXCHG
#undef uatomic_cmpxchg
#define uatomic_cmpxchg(address, expected, value)        \
  __extension__({                                        \
    __typeof__(*(address)) old_ = uatomic_read(address); \
    if (old_ == (expected)) uatomic_set(address, value); \
    old_;                                                \
  })
#endif

#endif
