// SPDX-License-Identifier: GPL-3.0-or-later
//
// Concurrency Kit: the queue of Michael and Scott with generation counters and double-width compare-and-swap. (The
// compiler's atomics have none of that width, so there is no such queue with them.)
// One thread enqueues, the other one dequeues; or each does both, with TWO_PRODUCERS.
//
// options --volatile atomic
// expect sc tso: verified
// expect sc, define TWO_PRODUCERS: verified
// expect sc, define TWO_PRODUCERS SPLIT_CAS: violated
// expect armv8, define CK_MD_RMO, options --target aarch64: verified
// expect armv8, define CK_MD_RMO TWO_PRODUCERS SPLIT_CAS, options --target aarch64: violated
#include "ck_client.h"
//
#include <ck_fifo.h>

static ck_fifo_mpmc_t fifo;
static ck_fifo_mpmc_entry_t stub, entries[2];

static void init(void) { ck_fifo_mpmc_init(&fifo, &stub); }

static bool put(int* item) {
  ck_fifo_mpmc_enqueue(&fifo, &entries[*item - 1], item);
  return true;
}

static bool take(int** item) {
  ck_fifo_mpmc_entry_t* garbage;
  return ck_fifo_mpmc_dequeue(&fifo, item, &garbage);
}

#ifdef TWO_PRODUCERS
#define BOTH_WAYS
#else
#define FIFO
#endif
#include "container.h"
