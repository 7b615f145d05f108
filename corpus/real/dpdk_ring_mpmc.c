// SPDX-License-Identifier: GPL-3.0-or-later
//
// DPDK: the ring for several producers and several consumers.
// A producer waits for those before it with relaxed loads of the tail and then stores to it with release. A consumer
// that acquires this store is ordered behind this producer, but in C11 not behind the others: their items race.
//
// options -I/usr/include/dpdk -I/usr/include/x86_64-linux-gnu/dpdk
// expect sc tso: verified
// expect sc tso armv8, define RTE_USE_C11_MEM_MODEL: verified
// expect rc11, define RTE_USE_C11_MEM_MODEL: violated
// expect armv8, define RTE_USE_C11_MEM_MODEL RELAXED_RELEASE: violated
// expect sc tso, define SPLIT_CMPSET: violated
#include "dpdk_ring.h"

static void init(void) { init_ring(RTE_RING_SYNC_MT, RTE_RING_SYNC_MT); }
static bool put(int* item) { return rte_ring_mp_enqueue(&memory.ring, item) == 0; }
static bool take(int** item) { return rte_ring_mc_dequeue(&memory.ring, (void**)item) == 0; }

#define BOTH_WAYS
#include "container.h"
