// SPDX-License-Identifier: GPL-3.0-or-later
//
// atomic_queue: the ticket lock.
//
// expect sc tso armv8 rc11: verified
// expect armv8 rc11, define RELAXED_RELEASE: violated
#include "cpp_client.h"
//
#include <atomic_queue/spinlock.h>

static atomic_queue::TicketSpinlock spinlock;
static unsigned tickets[2];

static void init_lock() {}

static void lock(int thread) {
  (void)thread;
  tickets[thread] = spinlock.lock();
}

static void unlock(int thread) {
  (void)thread;
  spinlock.unlock(tickets[thread]);
}

#include "mutual_exclusion.h"
