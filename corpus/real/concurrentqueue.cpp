// SPDX-License-Identifier: GPL-3.0-or-later
//
// moodycamel::ConcurrentQueue: the implicit producer; one thread enqueues, the other one dequeues.
//
// expect sc tso armv8 rc11: verified
// expect armv8 rc11, define RELAXED_RELEASE: violated
#include "cpp_client.h"
//
#include <concurrentqueue/concurrentqueue.h>

static moodycamel::ConcurrentQueue<int*> queue(2);

static void init() {}
static bool put(int* item) { return queue.enqueue(item); }
static bool take(int** item) { return queue.try_dequeue(*item); }

#define FIFO
#include "container.h"
