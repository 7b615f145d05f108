// SPDX-License-Identifier: GPL-3.0-or-later
//
// DPDK: the sequence lock.
//
// options -I/usr/include/dpdk -I/usr/include/x86_64-linux-gnu/dpdk
// expect sc tso: verified
// expect sc tso armv8 rc11, define RTE_FORCE_INTRINSICS: verified
// expect armv8 rc11, define RTE_FORCE_INTRINSICS RELAXED_RELEASE: violated
#define ALLOW_EXPERIMENTAL_API
#include "dpdk_client.h"
//
#include <rte_seqlock.h>

static rte_seqlock_t seqlock = RTE_SEQLOCK_INITIALIZER;

static void init(void) { rte_seqlock_init(&seqlock); }
static void write_begin(void) { rte_seqlock_write_lock(&seqlock); }
static void write_end(void) { rte_seqlock_write_unlock(&seqlock); }
static unsigned read_begin(void) { return rte_seqlock_read_begin(&seqlock); }
static bool read_retry(unsigned version) { return rte_seqlock_read_retry(&seqlock, version); }

#include "snapshot.h"
