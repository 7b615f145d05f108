// SPDX-License-Identifier: GPL-3.0-or-later
//
// moodycamel::ConcurrentQueue: an explicit producer with a token; one thread enqueues, the other one dequeues.
//
// expect sc tso armv8 rc11: verified
// expect armv8 rc11, define RELAXED_RELEASE: violated
#include "cpp_client.h"
//
#include <concurrentqueue/concurrentqueue.h>

static moodycamel::ConcurrentQueue<int*> queue(2);
static moodycamel::ProducerToken token(queue);

static void init() {}
static bool put(int* item) { return queue.enqueue(token, item); }
static bool take(int** item) { return queue.try_dequeue_from_producer(token, *item); }

#define FIFO
#include "container.h"
