// SPDX-License-Identifier: GPL-3.0-or-later
//
// libcds: the spin lock with test and test-and-set. Without NDEBUG lock() first reads which thread owns it, without
// holding it: a data race.
//
// expect sc tso armv8: verified
// expect rc11: violated
// expect armv8, define RELAXED_RELEASE: violated
#include "cpp_client.h"
//
#include <cds/sync/spinlock.h>

static cds::sync::spin spinlock;

static void init_lock() {}

static void lock(int thread) {
  (void)thread;
  spinlock.lock();
}

static void unlock(int thread) {
  (void)thread;
  spinlock.unlock();
}

#include "mutual_exclusion.h"
