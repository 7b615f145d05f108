// SPDX-License-Identifier: GPL-3.0-or-later
//
// DPDK: the lock for readers and writers.
//
// options -I/usr/include/dpdk -I/usr/include/x86_64-linux-gnu/dpdk
// expect sc tso armv8 rc11: verified
// expect armv8 rc11, define RELAXED_RELEASE: violated
#include "dpdk_client.h"
//
#include <rte_rwlock.h>

static rte_rwlock_t rwlock = RTE_RWLOCK_INITIALIZER;

static void init_lock(void) { rte_rwlock_init(&rwlock); }
static void read_lock(void) { rte_rwlock_read_lock(&rwlock); }
static void read_unlock(void) { rte_rwlock_read_unlock(&rwlock); }
static void write_lock(void) { rte_rwlock_write_lock(&rwlock); }
static void write_unlock(void) { rte_rwlock_write_unlock(&rwlock); }

#include "readers_writer.h"
