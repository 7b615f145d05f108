// SPDX-License-Identifier: GPL-3.0-or-later
//
// DPDK: rte_ring_enqueue() and rte_ring_dequeue(), which choose the mode when they are called.
//
// options -I/usr/include/dpdk -I/usr/include/x86_64-linux-gnu/dpdk
// expect sc tso: verified
// expect sc tso armv8 rc11, define RTE_USE_C11_MEM_MODEL: verified
// expect armv8 rc11, define RTE_USE_C11_MEM_MODEL RELAXED_RELEASE: violated
#include "dpdk_ring.h"

static void init(void) { init_ring(RTE_RING_SYNC_ST, RTE_RING_SYNC_ST); }
static bool put(int* item) { return rte_ring_enqueue(&memory.ring, item) == 0; }
static bool take(int** item) { return rte_ring_dequeue(&memory.ring, (void**)item) == 0; }

#define FIFO
#include "container.h"
