// SPDX-License-Identifier: GPL-3.0-or-later
//
// Concurrency Kit: the linked queue for one producer and one consumer.
// With the compiler's atomics, ck_pr_load_ptr() and ck_pr_store_ptr() cast to a pointer to `volatile void*`: what is
// accessed is not volatile itself, which is a data race in C.
//
// options --volatile atomic
// expect sc tso: verified
// expect sc tso armv8, define CK_MD_RMO CK_USE_CC_BUILTINS=1: verified
// expect rc11, define CK_MD_RMO CK_USE_CC_BUILTINS=1: violated
// expect armv8, define CK_MD_RMO CK_USE_CC_BUILTINS=1 WITHOUT_STORE: violated
// expect armv8, define CK_MD_RMO, options --target aarch64: verified
// expect armv8, define CK_MD_RMO WITHOUT_STORE, options --target aarch64: violated
// expect power, define CK_MD_RMO __ppc64__, options --target ppc64le: verified
// expect power, define CK_MD_RMO __ppc64__ WITHOUT_STORE, options --target ppc64le: violated
#include "ck_client.h"
//
#include <ck_fifo.h>

static ck_fifo_spsc_t fifo;
static ck_fifo_spsc_entry_t stub, entries[2];

static void init(void) { ck_fifo_spsc_init(&fifo, &stub); }

static bool put(int* item) {
  ck_fifo_spsc_enqueue(&fifo, &entries[*item - 1], item);
  return true;
}

static bool take(int** item) { return ck_fifo_spsc_dequeue(&fifo, item); }

#define FIFO
#include "container.h"
