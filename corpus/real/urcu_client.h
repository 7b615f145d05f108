// SPDX-License-Identifier: GPL-3.0-or-later
//
// The atomic operations of liburcu (uatomic.h), and mutations of them: SPLIT_XCHG and SPLIT_CMPXCHG make the
// read-modify-write a load and a store, as without the prefix `lock`.
//
// FOR_AARCH64 selects what the library uses on that processor, the compiler's atomics instead of assembly. The headers
// of the C library were read for x86 then, and are not read again.
#ifndef FENCELINE_REAL_URCU_CLIENT_H
#define FENCELINE_REAL_URCU_CLIENT_H
#include <assert.h>
#include <poll.h>
#include <pthread.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <sys/syscall.h>
#include <sys/time.h>
#include <time.h>
#include <unistd.h>

#ifdef FOR_AARCH64
#undef __amd64__
#undef __amd64
#undef __x86_64__
#undef __x86_64
#define __aarch64__ 1
#endif

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
