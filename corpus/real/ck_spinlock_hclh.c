// SPDX-License-Identifier: GPL-3.0-or-later
//
// Concurrency Kit: the hierarchical queue lock; both threads are of one cluster.
//
// expect sc tso: verified
// expect sc tso, define SPLIT_FAS: violated
// expect sc tso armv8 rc11, define CK_MD_RMO CK_USE_CC_BUILTINS=1: verified
// expect armv8 rc11, define CK_MD_RMO CK_USE_CC_BUILTINS=1 WITHOUT_UNLOCK: violated
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
