// SPDX-License-Identifier: GPL-3.0-or-later
//
// DPDK: the ring with relaxed tail synchronisation. A thread that waits for the tail reads its position as a volatile
// member, without an atomic operation: a data race in C11.
//
// options -I/usr/include/dpdk -I/usr/include/x86_64-linux-gnu/dpdk
// expect sc tso armv8: verified
// expect rc11: violated
// expect rc11, options --volatile atomic: verified
// expect armv8 rc11, define RELAXED_RELEASE: violated
#include "dpdk_ring.h"

static void init(void) { init_ring(RTE_RING_SYNC_MT_RTS, RTE_RING_SYNC_MT_RTS); }
static bool put(int* item) { return rte_ring_mp_rts_enqueue_bulk(&memory.ring, (void* const*)&item, 1, NULL) == 1; }
static bool take(int** item) { return rte_ring_mc_rts_dequeue_bulk(&memory.ring, (void**)item, 1, NULL) == 1; }

#define BOTH_WAYS
#include "container.h"
