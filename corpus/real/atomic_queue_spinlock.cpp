// SPDX-License-Identifier: GPL-3.0-or-later
//
// atomic_queue: the lock that is one of pthreads.
//
// expect sc tso armv8 rc11: verified
#include "cpp_client.h"
//
#include <atomic_queue/spinlock.h>

static atomic_queue::Spinlock spinlock;

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
