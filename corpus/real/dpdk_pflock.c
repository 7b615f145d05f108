// SPDX-License-Identifier: GPL-3.0-or-later
//
// DPDK: the phase-fair lock for readers and writers.
//
// options -I/usr/include/dpdk -I/usr/include/x86_64-linux-gnu/dpdk
// expect sc tso armv8 rc11: verified
// expect armv8 rc11, define RELAXED_RELEASE: violated
#define ALLOW_EXPERIMENTAL_API
#include "dpdk_client.h"
//
#include <rte_pflock.h>

static rte_pflock_t pflock = RTE_PFLOCK_INITIALIZER;

static void init_lock(void) { rte_pflock_init(&pflock); }
static void read_lock(void) { rte_pflock_read_lock(&pflock); }
static void read_unlock(void) { rte_pflock_read_unlock(&pflock); }
static void write_lock(void) { rte_pflock_write_lock(&pflock); }
static void write_unlock(void) { rte_pflock_write_unlock(&pflock); }

#include "readers_writer.h"
