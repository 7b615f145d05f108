// SPDX-License-Identifier: GPL-3.0-or-later
//
// Boost.Lockfree: Treiber's stack with a fixed number of nodes.
// Links of nodes are not atomic: a thread that takes a node from the pool or from the stack reads the link of the first
// one while another thread, which has taken that node, writes to it. The counter makes its compare-and-exchange fail
// then, but in C++ that is a data race.
//
// expect sc tso: verified
// expect rc11: violated
// expect armv8, define FL_SPURIOUS_FAILURES=0: verified slow
// expect armv8, define RELAXED_EXCHANGE: violated
#include "cpp_client.h"
//
#include <boost/lockfree/stack.hpp>

static boost::lockfree::stack<int*, boost::lockfree::capacity<3>> stack;

static void init() {}
static bool put(int* item) { return stack.push(item); }
static bool take(int** item) { return stack.pop(*item); }

#define BOTH_WAYS
#include "container.h"
