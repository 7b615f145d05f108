// SPDX-License-Identifier: GPL-3.0-or-later
//
// Concurrency Kit: the queue lock of Mellor-Crummey and Scott.
//
// expect sc tso: verified
// expect sc tso, define SPLIT_FAS: violated
// expect sc tso armv8 rc11, define CK_MD_RMO CK_USE_CC_BUILTINS=1: verified
// expect armv8 rc11, define CK_MD_RMO CK_USE_CC_BUILTINS=1 WITHOUT_UNLOCK: violated
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
