// SPDX-License-Identifier: GPL-3.0-or-later
//
// libcds: the spin lock with test and test-and-set.
//
// not yet: expect sc tso armv8 rc11: verified
// not yet: expect armv8 rc11, define RELAXED_RELEASE: violated
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
