// SPDX-License-Identifier: GPL-3.0-or-later
//
// DPDK: the ring with head and tail synchronisation.
//
// options -I/usr/include/dpdk -I/usr/include/x86_64-linux-gnu/dpdk
// expect sc tso armv8 rc11: verified
// expect armv8 rc11, define RELAXED_RELEASE: violated
#include "dpdk_ring.h"

static void init(void) { init_ring(RTE_RING_SYNC_MT_HTS, RTE_RING_SYNC_MT_HTS); }
static bool put(int* item) { return rte_ring_mp_hts_enqueue_bulk(&memory.ring, (void* const*)&item, 1, NULL) == 1; }
static bool take(int** item) { return rte_ring_mc_hts_dequeue_bulk(&memory.ring, (void**)item, 1, NULL) == 1; }

#define BOTH_WAYS
#include "container.h"
