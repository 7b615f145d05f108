// SPDX-License-Identifier: GPL-3.0-or-later
//
// oneTBB: the spin lock for readers and writers.
//
// expect sc tso armv8 rc11: verified
// expect armv8 rc11, define RELAXED_FETCH_ADD: violated
// expect rc11, define RELAXED_EXCHANGE: violated
#include "cpp_client.h"
//
#include <oneapi/tbb/spin_rw_mutex.h>

static tbb::spin_rw_mutex mutex;

static void init_lock() {}
static void read_lock() { mutex.lock_shared(); }
static void read_unlock() { mutex.unlock_shared(); }
static void write_lock() { mutex.lock(); }
static void write_unlock() { mutex.unlock(); }

#include "readers_writer.h"
