// SPDX-License-Identifier: GPL-3.0-or-later
//
// Concurrency Kit: the lock for readers and writers, as a lock of two writers.
//
// options --volatile atomic
// expect sc tso: verified
// expect sc tso, define SPLIT_FAS: violated
// expect sc tso armv8 rc11, define CK_MD_RMO CK_USE_CC_BUILTINS=1: verified
// expect armv8 rc11, define CK_MD_RMO CK_USE_CC_BUILTINS=1 WITHOUT_UNLOCK: violated
// expect armv8, define CK_MD_RMO, options --target aarch64: verified
// expect armv8, define CK_MD_RMO SPLIT_FAS, options --target aarch64: violated
// expect armv8, define CK_MD_RMO WITHOUT_UNLOCK, options --target aarch64: violated
// expect power, define CK_MD_RMO __ppc64__, options --target ppc64le: verified
// expect power, define CK_MD_RMO __ppc64__ SPLIT_FAS, options --target ppc64le: violated
// expect power, define CK_MD_RMO __ppc64__ WITHOUT_UNLOCK, options --target ppc64le: violated
#include "ck_client.h"
//
#include <ck_rwlock.h>

static ck_rwlock_t rwlock = CK_RWLOCK_INITIALIZER;

static void init_lock(void) { ck_rwlock_init(&rwlock); }

static void lock(int thread) {
  (void)thread;
  ck_rwlock_write_lock(&rwlock);
}

static void unlock(int thread) {
  (void)thread;
  ck_rwlock_write_unlock(&rwlock);
}

#include "mutual_exclusion.h"
