// SPDX-License-Identifier: GPL-3.0-or-later
//
// DPDK: the ticket lock; the two tickets are halves of one word.
//
// options -I/usr/include/dpdk -I/usr/include/x86_64-linux-gnu/dpdk
// expect sc tso armv8 rc11: verified
// expect armv8 rc11, define RELAXED_RELEASE: violated
#include "dpdk_client.h"
//
#include <rte_ticketlock.h>

static rte_ticketlock_t ticketlock = RTE_TICKETLOCK_INITIALIZER;

static void init_lock(void) { rte_ticketlock_init(&ticketlock); }

static void lock(int thread) {
  (void)thread;
  rte_ticketlock_lock(&ticketlock);
}

static void unlock(int thread) {
  (void)thread;
  rte_ticketlock_unlock(&ticketlock);
}

#include "mutual_exclusion.h"
