// SPDX-License-Identifier: GPL-3.0-or-later
//
// DPDK: the ring for one producer and one consumer, two items at once: both come, or none.
//
// options -I/usr/include/dpdk -I/usr/include/x86_64-linux-gnu/dpdk
// expect sc tso: verified
// expect sc tso armv8 rc11, define RTE_USE_C11_MEM_MODEL: verified
// expect armv8 rc11, define RTE_USE_C11_MEM_MODEL RELAXED_RELEASE: violated
#include "dpdk_ring.h"
//
#include "threads.h"

static int items[2];
static int seen;

static void* producer(void* unused) {
  (void)unused;
  void* both[2] = {&items[0], &items[1]};
  items[0] = 1;
  items[1] = 2;
  unsigned count = rte_ring_sp_enqueue_bulk(&memory.ring, both, 2, NULL);
  assert(count == 2);
  return 0;
}

static int take_both(void) {
  void* both[2];
  if (rte_ring_sc_dequeue_burst(&memory.ring, both, 2, NULL) == 0) return 0;
  assert(*(int*)both[0] == 1 && *(int*)both[1] == 2);
  return 1;
}

static void* consumer(void* unused) {
  (void)unused;
  seen = take_both();
  return 0;
}

int main(void) {
  init_ring(RTE_RING_SYNC_ST, RTE_RING_SYNC_ST);
  run_threads(producer, consumer);
  int rest = take_both();
  assert(seen + rest == 1);
}
