// SPDX-License-Identifier: GPL-3.0-or-later
//
// Concurrency Kit: the hierarchical queue lock; both threads are of one cluster.
// A thread that waits in the local queue returns when its predecessor has left, without the fence of the other way
// out. Where loads are not ordered (not on x86) it may then read stale values.
//
// options --volatile atomic
// expect sc tso: verified
// expect sc tso, define SPLIT_FAS: violated
// expect sc tso, define CK_MD_RMO CK_USE_CC_BUILTINS=1: verified
// expect armv8 rc11, define CK_MD_RMO CK_USE_CC_BUILTINS=1: violated
// expect armv8, define CK_MD_RMO, options --target aarch64: violated
// expect power, define CK_MD_RMO __ppc64__, options --target ppc64le: violated
#include "ck_client.h"
//
#include <ck_spinlock.h>

static ck_spinlock_hclh_t unowned, local_unowned, nodes[2];
static ck_spinlock_hclh_t *queue, *local_queue;

static void init_lock(void) { ck_spinlock_hclh_init(&queue, &unowned, -1);
  ck_spinlock_hclh_init(&local_queue, &local_unowned, 0); }

static void lock(int thread) {
  (void)thread;
  ck_spinlock_hclh_lock(&queue, &local_queue, &nodes[thread]);
}

static void unlock(int thread) {
  (void)thread;
  ck_spinlock_hclh_t* mine = &nodes[thread];
  ck_spinlock_hclh_unlock(&mine);
}

#include "mutual_exclusion.h"
