// SPDX-License-Identifier: GPL-3.0-or-later
//
// A ring of DPDK in memory of ours, as rte_ring_init() would leave it: that function is not in a header.
#ifndef FENCELINE_REAL_DPDK_RING_H
#define FENCELINE_REAL_DPDK_RING_H
#define ALLOW_EXPERIMENTAL_API
#include "dpdk_client.h"
//
#include <rte_ring.h>

static struct {
  struct rte_ring ring;
  void* table[4];
} memory;

static inline void init_ring(enum rte_ring_sync_type producers, enum rte_ring_sync_type consumers) {
  memory.ring.size = 4;
  memory.ring.mask = 3;
  memory.ring.capacity = 3;
  memory.ring.prod.sync_type = producers;
  memory.ring.cons.sync_type = consumers;
  memory.ring.rts_prod.htd_max = 3;
  memory.ring.rts_cons.htd_max = 3;
}

#endif
