// SPDX-License-Identifier: GPL-3.0-or-later
//
// libcds: RWQueue, the two-lock queue of Michael and Scott.
//
// expect sc tso armv8 rc11: verified
// expect armv8 rc11, define RELAXED_RELEASE: violated
#include <cds/opt/options.h>  // before the mutation: it has members of these names
//
#include "cpp_client.h"
//
#include <cds/container/rwqueue.h>

static cds::container::RWQueue<int*> queue;

static void init() {}
static bool put(int* item) { return queue.enqueue(item); }
static bool take(int** item) { return queue.dequeue(*item); }

#define FIFO
#include "container.h"
