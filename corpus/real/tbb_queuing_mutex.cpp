// SPDX-License-Identifier: GPL-3.0-or-later
//
// oneTBB: the queue lock of Mellor-Crummey and Scott.
//
// expect sc tso armv8 rc11: verified
// expect armv8 rc11, define RELAXED_RELEASE: violated
#include "cpp_client.h"
//
#include <oneapi/tbb/queuing_mutex.h>

static tbb::queuing_mutex mutex;
static tbb::queuing_mutex::scoped_lock nodes[2];

static void init_lock() {}

static void lock(int thread) {
  (void)thread;
  nodes[thread].acquire(mutex);
}

static void unlock(int thread) {
  (void)thread;
  nodes[thread].release();
}

#include "mutual_exclusion.h"
