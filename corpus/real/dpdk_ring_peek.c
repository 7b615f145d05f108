// SPDX-License-Identifier: GPL-3.0-or-later
//
// DPDK: the ring in two steps, which reserve an item and finish.
//
// options -I/usr/include/dpdk -I/usr/include/x86_64-linux-gnu/dpdk
// expect sc tso armv8 rc11: verified
// expect armv8 rc11, define RELAXED_RELEASE: violated
#include "dpdk_ring.h"

static void init(void) { init_ring(RTE_RING_SYNC_MT_HTS, RTE_RING_SYNC_MT_HTS); }
static bool put(int* item) {
  if (rte_ring_enqueue_bulk_start(&memory.ring, 1, NULL) == 0) return false;
  rte_ring_enqueue_finish(&memory.ring, (void* const*)&item, 1);
  return true;
}

static bool take(int** item) {
  if (rte_ring_dequeue_bulk_start(&memory.ring, (void**)item, 1, NULL) == 0) return false;
  rte_ring_dequeue_finish(&memory.ring, 1);
  return true;
}

#define BOTH_WAYS
#include "container.h"
