// SPDX-License-Identifier: GPL-3.0-or-later
//
// moodycamel::ConcurrentQueue: an explicit producer with a token; one thread enqueues, the other one dequeues.
//
// not yet: expect sc tso armv8 rc11: verified
// not yet: expect armv8 rc11, define RELAXED_RELEASE: violated
#include "cpp_client.h"
//
#include <concurrentqueue/concurrentqueue.h>

struct Small : moodycamel::ConcurrentQueueDefaultTraits {
  static const size_t BLOCK_SIZE = 2;
  static const size_t EXPLICIT_INITIAL_INDEX_SIZE = 2;
  static const size_t IMPLICIT_INITIAL_INDEX_SIZE = 2;
  static const size_t INITIAL_IMPLICIT_PRODUCER_HASH_SIZE = 2;
};
static moodycamel::ConcurrentQueue<int*, Small> queue(2);
static moodycamel::ProducerToken token(queue);

static void init() {}
static bool put(int* item) { return queue.enqueue(token, item); }
static bool take(int** item) { return queue.try_dequeue_from_producer(token, *item); }

#define FIFO
#include "container.h"
