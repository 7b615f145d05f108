// SPDX-License-Identifier: GPL-3.0-or-later
//
// Boost.Lockfree: the queue of Michael and Scott with a fixed number of nodes, whose links are indices with tags.
//
// expect sc: verified
// expect tso armv8 rc11, define FL_SPURIOUS_FAILURES=0: verified slow
// expect rc11, define RELAXED_EXCHANGE: violated
#include "cpp_client.h"
//
#include <boost/lockfree/queue.hpp>

static boost::lockfree::queue<int*, boost::lockfree::capacity<3>> queue;

static void init() {}
static bool put(int* item) { return queue.push(item); }
static bool take(int** item) { return queue.pop(*item); }

#define FIFO
#include "container.h"
