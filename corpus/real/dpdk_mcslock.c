// SPDX-License-Identifier: GPL-3.0-or-later
//
// DPDK: the queue lock of Mellor-Crummey and Scott.
//
// options -I/usr/include/dpdk -I/usr/include/x86_64-linux-gnu/dpdk
// expect sc tso armv8 rc11: verified
// expect armv8 rc11, define RELAXED_RELEASE: violated
#include "dpdk_client.h"
//
#include <rte_mcslock.h>

static rte_mcslock_t* queue;
static rte_mcslock_t nodes[2];

static void init_lock(void) {  }

static void lock(int thread) {
  (void)thread;
  rte_mcslock_lock(&queue, &nodes[thread]);
}

static void unlock(int thread) {
  (void)thread;
  rte_mcslock_unlock(&queue, &nodes[thread]);
}

#include "mutual_exclusion.h"
