// SPDX-License-Identifier: GPL-3.0-or-later
//
// moodycamel::ConcurrentQueue: the implicit producer; one thread enqueues, the other one dequeues.
// Sizes are small, and blocks are allocated when they are needed. The queue is not destroyed: the destructor runs after
// the threads. A producer enters a list with a loop that stores a link and tries a weak compare-and-exchange. Blocks are
// not used again, so assertions about that are not reached: vacuous.
//
// expect sc tso rc11, vacuous: verified
// expect armv8, vacuous: verified slow
// expect armv8 rc11, define RELAXED_RELEASE: violated
// expect rc11, define RELAXED_ACQUIRE: violated
#define STRONG_EXCHANGE
#include "cpp_client.h"
//
#include <concurrentqueue/concurrentqueue.h>

struct Small : moodycamel::ConcurrentQueueDefaultTraits {
  static const size_t BLOCK_SIZE = 2;
  static const size_t EXPLICIT_INITIAL_INDEX_SIZE = 2;
  static const size_t IMPLICIT_INITIAL_INDEX_SIZE = 2;
  static const size_t INITIAL_IMPLICIT_PRODUCER_HASH_SIZE = 4;
};

static union Storage {
  moodycamel::ConcurrentQueue<int*, Small> queue;
  Storage() : queue(0) {}
  ~Storage() {}
} storage;

static void init() {}
static bool put(int* item) { return storage.queue.enqueue(item); }
static bool take(int** item) { return storage.queue.try_dequeue(*item); }

#define FIFO
#include "container.h"
