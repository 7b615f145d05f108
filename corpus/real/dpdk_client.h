// SPDX-License-Identifier: GPL-3.0-or-later
//
// What DPDK's headers want to be there first, and mutations: a memory order of the compiler's atomics becomes
// relaxed (RELAXED_ACQUIRE, RELAXED_RELEASE, RELAXED_ACQ_REL), a fence of DPDK's own disappears (WITHOUT_RMB,
// WITHOUT_WMB), or an atomic operation is split into a load and a store (SPLIT_CMPSET).
#ifndef FENCELINE_REAL_DPDK_CLIENT_H
#define FENCELINE_REAL_DPDK_CLIENT_H
#include <rte_config.h>
//
#include <rte_atomic.h>
#include <rte_common.h>
#include <stdbool.h>
#include <stdlib.h>

#ifdef RELAXED_ACQUIRE
#undef __ATOMIC_ACQUIRE
#define __ATOMIC_ACQUIRE __ATOMIC_RELAXED
#endif
#ifdef RELAXED_RELEASE
#undef __ATOMIC_RELEASE
#define __ATOMIC_RELEASE __ATOMIC_RELAXED
#endif
#ifdef RELAXED_ACQ_REL
#undef __ATOMIC_ACQ_REL
#define __ATOMIC_ACQ_REL __ATOMIC_RELAXED
#endif
#ifdef WITHOUT_RMB
#undef rte_smp_rmb
#define rte_smp_rmb() ((void)0)
#endif
#ifdef WITHOUT_WMB
#undef rte_smp_wmb
#define rte_smp_wmb() ((void)0)
#endif
#ifdef SPLIT_CMPSET
static inline int split_cmpset(volatile uint32_t* target, uint32_t expected, uint32_t value) {
  if (*target != expected) return 0;
  *target = value;
  return 1;
}
#define rte_atomic32_cmpset(target, expected, value) split_cmpset(target, expected, value)
#endif

#endif
