// SPDX-License-Identifier: GPL-3.0-or-later
//
// Concurrency Kit: the queue lock of Mellor-Crummey and Scott.
// Two threads that take the lock at once without an atomic exchange are not both in the queue, and on SC the one that
// is not waits for ever for its successor when it leaves. On TSO its late store puts it there again.
// With the compiler's atomics, ck_pr_load_ptr() and ck_pr_store_ptr() cast to a pointer to `volatile void*`: what is
// accessed is not volatile itself, which is a data race in C.
//
// options --volatile atomic
// expect sc tso: verified
// expect tso, define SPLIT_FAS: violated
// expect sc tso armv8, define CK_MD_RMO CK_USE_CC_BUILTINS=1: verified
// expect rc11, define CK_MD_RMO CK_USE_CC_BUILTINS=1: violated
// expect armv8, define CK_MD_RMO CK_USE_CC_BUILTINS=1 WITHOUT_UNLOCK: violated
// expect armv8, define CK_MD_RMO, options --target aarch64: verified
// expect armv8, define CK_MD_RMO WITHOUT_UNLOCK, options --target aarch64: violated
// expect power, define CK_MD_RMO __ppc64__, options --target ppc64le: verified
// expect power, define CK_MD_RMO __ppc64__ SPLIT_FAS, options --target ppc64le: violated
// expect power, define CK_MD_RMO __ppc64__ WITHOUT_UNLOCK, options --target ppc64le: violated
#include "ck_client.h"
//
#include <ck_spinlock.h>

static ck_spinlock_mcs_t queue = CK_SPINLOCK_MCS_INITIALIZER;
static ck_spinlock_mcs_context_t nodes[2];

static void init_lock(void) { ck_spinlock_mcs_init(&queue); }

static void lock(int thread) {
  (void)thread;
  ck_spinlock_mcs_lock(&queue, &nodes[thread]);
}

static void unlock(int thread) {
  (void)thread;
  ck_spinlock_mcs_unlock(&queue, &nodes[thread]);
}

#include "mutual_exclusion.h"
