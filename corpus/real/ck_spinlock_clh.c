// SPDX-License-Identifier: GPL-3.0-or-later
//
// Concurrency Kit: the queue lock of Craig, Landin and Hagersten.
// With the compiler's atomics, ck_pr_load_ptr() and ck_pr_store_ptr() cast to a pointer to `volatile void*`: what is
// accessed is not volatile itself, which is a data race in C.
//
// options --volatile atomic
// expect sc tso: verified
// expect sc tso, define SPLIT_FAS: violated
// expect sc tso armv8, define CK_MD_RMO CK_USE_CC_BUILTINS=1: verified
// expect rc11, define CK_MD_RMO CK_USE_CC_BUILTINS=1: violated
// expect armv8, define CK_MD_RMO CK_USE_CC_BUILTINS=1 WITHOUT_UNLOCK: violated
// expect armv8, define CK_MD_RMO, options --target aarch64: verified
// expect armv8, define CK_MD_RMO SPLIT_FAS, options --target aarch64: violated
// expect armv8, define CK_MD_RMO WITHOUT_UNLOCK, options --target aarch64: violated
// expect power, define CK_MD_RMO __ppc64__, options --target ppc64le: verified
// expect power, define CK_MD_RMO __ppc64__ SPLIT_FAS, options --target ppc64le: violated
// expect power, define CK_MD_RMO __ppc64__ WITHOUT_UNLOCK, options --target ppc64le: violated
#include "ck_client.h"
//
#include <ck_spinlock.h>

static ck_spinlock_clh_t unowned, nodes[2];
static ck_spinlock_clh_t* queue;

static void init_lock(void) { ck_spinlock_clh_init(&queue, &unowned); }

static void lock(int thread) {
  (void)thread;
  ck_spinlock_clh_lock(&queue, &nodes[thread]);
}

static void unlock(int thread) {
  (void)thread;
  ck_spinlock_clh_t* mine = &nodes[thread];
  ck_spinlock_clh_unlock(&mine);
}

#include "mutual_exclusion.h"
