// SPDX-License-Identifier: GPL-3.0-or-later
//
// Boost.Lockfree: the ring for one producer and one consumer.
//
// expect sc tso armv8 rc11: verified
// expect armv8 rc11, define RELAXED_RELEASE: violated
#include "cpp_client.h"
//
#include <boost/lockfree/spsc_queue.hpp>

static boost::lockfree::spsc_queue<int*, boost::lockfree::capacity<3>> queue;

static void init() {}
static bool put(int* item) { return queue.push(item); }
static bool take(int** item) { return queue.pop(*item); }

#define FIFO
#include "container.h"
