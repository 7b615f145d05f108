// SPDX-License-Identifier: GPL-3.0-or-later
//
// oneTBB: the spin lock for readers and writers, as a lock of two writers.
//
// expect sc tso armv8 rc11: verified
// expect armv8 rc11, define RELAXED_EXCHANGE: violated
#include "cpp_client.h"
//
#include <oneapi/tbb/spin_rw_mutex.h>

static tbb::spin_rw_mutex mutex;

static void init_lock() {}

static void lock(int thread) {
  (void)thread;
  mutex.lock();
}

static void unlock(int thread) {
  (void)thread;
  mutex.unlock();
}

#include "mutual_exclusion.h"
