// SPDX-License-Identifier: GPL-3.0-or-later
//
// Concurrency Kit: the ticket lock; on x86 both tickets are halves of one word.
//
// options --volatile atomic
// expect sc tso: verified
// expect sc tso, define SPLIT_FAA: violated
// expect sc tso armv8 rc11, define CK_MD_RMO CK_USE_CC_BUILTINS=1: verified
// expect armv8 rc11, define CK_MD_RMO CK_USE_CC_BUILTINS=1 WITHOUT_LOCK: violated
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
