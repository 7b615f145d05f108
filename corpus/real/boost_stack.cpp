// SPDX-License-Identifier: GPL-3.0-or-later
//
// Boost.Lockfree: Treiber's stack with a fixed number of nodes.
//
// not yet: expect sc tso armv8 rc11: verified
// not yet: expect armv8 rc11, define RELAXED_RELEASE: violated
#include "cpp_client.h"
//
#include <boost/lockfree/stack.hpp>

static boost::lockfree::stack<int*, boost::lockfree::capacity<3>> stack;

static void init() {}
static bool put(int* item) { return stack.push(item); }
static bool take(int** item) { return stack.pop(*item); }

#define BOTH_WAYS
#include "container.h"
