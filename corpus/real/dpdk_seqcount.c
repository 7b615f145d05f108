// SPDX-License-Identifier: GPL-3.0-or-later
//
// DPDK: the sequence counter, for one writer.
//
// options -I/usr/include/dpdk -I/usr/include/x86_64-linux-gnu/dpdk
// expect sc tso: verified
// expect sc tso armv8 rc11, define RTE_FORCE_INTRINSICS: verified
// expect armv8 rc11, define RTE_FORCE_INTRINSICS RELAXED_RELEASE: violated
// expect armv8 rc11, define RTE_FORCE_INTRINSICS RELAXED_ACQUIRE: violated
#define ALLOW_EXPERIMENTAL_API
#include "dpdk_client.h"
//
#include <rte_seqcount.h>

static rte_seqcount_t sequence = RTE_SEQCOUNT_INITIALIZER;

static void init(void) { rte_seqcount_init(&sequence); }
static void write_begin(void) { rte_seqcount_write_begin(&sequence); }
static void write_end(void) { rte_seqcount_write_end(&sequence); }
static unsigned read_begin(void) { return rte_seqcount_read_begin(&sequence); }
static bool read_retry(unsigned version) { return rte_seqcount_read_retry(&sequence, version); }

#include "snapshot.h"
