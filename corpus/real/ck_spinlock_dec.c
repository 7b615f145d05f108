// SPDX-License-Identifier: GPL-3.0-or-later
//
// Concurrency Kit: the spin lock that decrements.
//
// options --volatile atomic
// expect sc tso: verified
// expect sc tso, define SPLIT_DEC: violated
// expect sc tso armv8 rc11, define CK_MD_RMO CK_USE_CC_BUILTINS=1: verified
// expect armv8 rc11, define CK_MD_RMO CK_USE_CC_BUILTINS=1 WITHOUT_UNLOCK: violated
// expect armv8, define CK_MD_RMO, options --target aarch64: verified
// expect armv8, define CK_MD_RMO SPLIT_DEC, options --target aarch64: violated
// expect armv8, define CK_MD_RMO WITHOUT_UNLOCK, options --target aarch64: violated
// expect power, define CK_MD_RMO __ppc64__, options --target ppc64le: verified
// expect power, define CK_MD_RMO __ppc64__ SPLIT_DEC, options --target ppc64le: violated
// expect power, define CK_MD_RMO __ppc64__ WITHOUT_UNLOCK, options --target ppc64le: violated
#include "ck_client.h"
//
#include <ck_spinlock.h>

static ck_spinlock_dec_t spinlock = CK_SPINLOCK_DEC_INITIALIZER;

static void init_lock(void) { ck_spinlock_dec_init(&spinlock); }

static void lock(int thread) {
  (void)thread;
  ck_spinlock_dec_lock(&spinlock);
}

static void unlock(int thread) {
  (void)thread;
  ck_spinlock_dec_unlock(&spinlock);
}

#include "mutual_exclusion.h"
