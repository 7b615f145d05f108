// SPDX-License-Identifier: GPL-3.0-or-later
//
// Concurrency Kit: the ring of pointers for several producers and one consumer; here one of each.
//
// options --volatile atomic
// expect sc tso: verified
// expect sc tso armv8 rc11, define CK_MD_RMO CK_USE_CC_BUILTINS=1: verified
// expect armv8 rc11, define CK_MD_RMO CK_USE_CC_BUILTINS=1 WITHOUT_STORE: violated
// expect armv8, define CK_MD_RMO, options --target aarch64: verified
// expect armv8, define CK_MD_RMO WITHOUT_STORE, options --target aarch64: violated
// expect power, define CK_MD_RMO __ppc64__, options --target ppc64le: verified
// expect power, define CK_MD_RMO __ppc64__ WITHOUT_STORE, options --target ppc64le: violated
#include "ck_client.h"
//
#include <ck_ring.h>

static ck_ring_t ring;
static ck_ring_buffer_t buffer[4];

static void init(void) { ck_ring_init(&ring, 4); }
static bool put(int* item) { return ck_ring_enqueue_mpsc(&ring, buffer, item); }
static bool take(int** item) { return ck_ring_dequeue_mpsc(&ring, buffer, item); }

#define FIFO
#include "container.h"
