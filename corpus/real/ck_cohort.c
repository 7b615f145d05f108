// SPDX-License-Identifier: GPL-3.0-or-later
//
// Concurrency Kit: a cohort lock of two spin locks; both threads are of one cohort, so that the global lock may be
// handed over.
//
// options --volatile atomic
// expect sc tso: verified
// expect sc tso, define SPLIT_FAS: violated
// expect sc tso armv8 rc11, define CK_MD_RMO CK_USE_CC_BUILTINS=1: verified
// expect armv8, define CK_MD_RMO, options --target aarch64: verified
// expect armv8, define CK_MD_RMO SPLIT_FAS, options --target aarch64: violated
// expect power, define CK_MD_RMO __ppc64__, options --target ppc64le: verified
// expect power, define CK_MD_RMO __ppc64__ SPLIT_FAS, options --target ppc64le: violated
#include "ck_client.h"
//
#include <ck_cohort.h>
#include <ck_spinlock.h>

static void lock_of_cohort(ck_spinlock_fas_t* spinlock, void* context) {
  (void)context;
  ck_spinlock_fas_lock(spinlock);
}

static void unlock_of_cohort(ck_spinlock_fas_t* spinlock, void* context) {
  (void)context;
  ck_spinlock_fas_unlock(spinlock);
}

static bool locked_of_cohort(ck_spinlock_fas_t* spinlock, void* context) {
  (void)context;
  return ck_spinlock_fas_locked(spinlock);
}

CK_COHORT_PROTOTYPE(fas, lock_of_cohort, unlock_of_cohort, locked_of_cohort, lock_of_cohort, unlock_of_cohort,
                    locked_of_cohort)

static ck_spinlock_fas_t global_lock = CK_SPINLOCK_FAS_INITIALIZER, local_lock = CK_SPINLOCK_FAS_INITIALIZER;
static CK_COHORT_INSTANCE(fas) cohort;

static void init_lock(void) { CK_COHORT_INIT(fas, &cohort, &global_lock, &local_lock, 1); }

static void lock(int thread) {
  (void)thread;
  CK_COHORT_LOCK(fas, &cohort, NULL, NULL);
}

static void unlock(int thread) {
  (void)thread;
  CK_COHORT_UNLOCK(fas, &cohort, NULL, NULL);
}

#include "mutual_exclusion.h"
