// SPDX-License-Identifier: GPL-3.0-or-later
//
// oneTBB: the spin lock for readers and writers.
// Its operations are sequentially consistent by default, so there is no order that a macro could weaken.
//
// expect sc tso armv8 rc11: verified
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
