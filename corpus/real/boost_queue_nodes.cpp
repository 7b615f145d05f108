// SPDX-License-Identifier: GPL-3.0-or-later
//
// Boost.Lockfree: the queue of Michael and Scott whose nodes are allocated; pointers carry a tag in 16 bits.
//
// expect sc: verified
// expect rc11, define FL_SPURIOUS_FAILURES=0: verified
// expect tso armv8, define FL_SPURIOUS_FAILURES=0: verified slow
// expect rc11, define RELAXED_EXCHANGE: violated
#include "cpp_client.h"
//
#include <boost/lockfree/queue.hpp>

static boost::lockfree::queue<int*> queue(4);

static void init() {}
static bool put(int* item) { return queue.push(item); }
static bool take(int** item) { return queue.pop(*item); }

#define FIFO
#include "container.h"
