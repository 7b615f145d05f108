// SPDX-License-Identifier: GPL-3.0-or-later
//
// Concurrency Kit: the ticket lock; on x86 both tickets are halves of one word.
//
// options --volatile atomic
// expect sc tso: verified
// expect sc tso, define SPLIT_FAA: violated
// expect sc tso armv8 rc11, define CK_MD_RMO CK_USE_CC_BUILTINS=1: verified
// expect armv8 rc11, define CK_MD_RMO CK_USE_CC_BUILTINS=1 WITHOUT_LOCK: violated
// expect armv8, define CK_MD_RMO, options --target aarch64: verified
// expect armv8, define CK_MD_RMO SPLIT_FAA, options --target aarch64: violated
// expect armv8, define CK_MD_RMO WITHOUT_LOCK, options --target aarch64: violated
// expect power, define CK_MD_RMO __ppc64__, options --target ppc64le: verified
// expect power, define CK_MD_RMO __ppc64__ SPLIT_FAA, options --target ppc64le: violated
// expect power, define CK_MD_RMO __ppc64__ WITHOUT_LOCK, options --target ppc64le: violated
#include "ck_client.h"
//
#include <ck_spinlock.h>

static ck_spinlock_ticket_t spinlock = CK_SPINLOCK_TICKET_INITIALIZER;

static void init_lock(void) { ck_spinlock_ticket_init(&spinlock); }

static void lock(int thread) {
  (void)thread;
  ck_spinlock_ticket_lock(&spinlock);
}

static void unlock(int thread) {
  (void)thread;
  ck_spinlock_ticket_unlock(&spinlock);
}

#include "mutual_exclusion.h"
