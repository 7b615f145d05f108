// SPDX-License-Identifier: GPL-3.0-or-later
//
// DPDK: the spin lock; on x86 it is an exchange in assembly, with RTE_FORCE_INTRINSICS the compiler's atomics.
//
// options -I/usr/include/dpdk -I/usr/include/x86_64-linux-gnu/dpdk
// expect sc tso: verified
// expect sc tso armv8 rc11, define RTE_FORCE_INTRINSICS: verified
// expect armv8 rc11, define RTE_FORCE_INTRINSICS RELAXED_RELEASE: violated
// expect rc11, define RTE_FORCE_INTRINSICS RELAXED_ACQUIRE: violated
#include "dpdk_client.h"
//
#include <rte_spinlock.h>

static rte_spinlock_t spinlock = RTE_SPINLOCK_INITIALIZER;

static void init_lock(void) { rte_spinlock_init(&spinlock); }

static void lock(int thread) {
  (void)thread;
  rte_spinlock_lock(&spinlock);
}

static void unlock(int thread) {
  (void)thread;
  rte_spinlock_unlock(&spinlock);
}

#include "mutual_exclusion.h"
