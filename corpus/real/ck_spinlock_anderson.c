// SPDX-License-Identifier: GPL-3.0-or-later
//
// Concurrency Kit: Anderson's lock, an array of flags.
//
// options --volatile atomic
// expect sc tso: verified
// expect sc tso, define SPLIT_FAA: violated
// expect sc tso armv8 rc11, define CK_MD_RMO CK_USE_CC_BUILTINS=1: verified
// expect armv8 rc11, define CK_MD_RMO CK_USE_CC_BUILTINS=1 WITHOUT_UNLOCK: violated
// expect armv8, define CK_MD_RMO, options --target aarch64: verified
// expect armv8, define CK_MD_RMO SPLIT_FAA, options --target aarch64: violated
// expect armv8, define CK_MD_RMO WITHOUT_UNLOCK, options --target aarch64: violated
// expect power, define CK_MD_RMO __ppc64__, options --target ppc64le: verified
// expect power, define CK_MD_RMO __ppc64__ SPLIT_FAA, options --target ppc64le: violated
// expect power, define CK_MD_RMO __ppc64__ WITHOUT_UNLOCK, options --target ppc64le: violated
#include "ck_client.h"
//
#include <ck_spinlock.h>

static ck_spinlock_anderson_t spinlock;
static ck_spinlock_anderson_thread_t slots[2];
static ck_spinlock_anderson_thread_t* taken[2];

static void init_lock(void) { ck_spinlock_anderson_init(&spinlock, slots, 2); }

static void lock(int thread) {
  (void)thread;
  ck_spinlock_anderson_lock(&spinlock, &taken[thread]);
}

static void unlock(int thread) {
  (void)thread;
  ck_spinlock_anderson_unlock(&spinlock, taken[thread]);
}

#include "mutual_exclusion.h"
