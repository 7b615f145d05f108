// SPDX-License-Identifier: GPL-3.0-or-later
//
// atomic_queue: AtomicQueue for one producer and one consumer.
// An element is stored with release and taken with a relaxed operation. Processors order what is read through the
// pointer by the dependency; in C++ it is a data race.
//
// expect sc tso armv8: verified
// expect rc11: violated
// expect armv8, define RELAXED_RELEASE: violated
#include "cpp_client.h"
//
#include <atomic_queue/atomic_queue.h>

static atomic_queue::AtomicQueue<int*, 4, nullptr, false, true, false, true> queue;

static void init() {}
static bool put(int* item) { return queue.try_push(item); }
static bool take(int** item) { return queue.try_pop(*item); }

#define FIFO
#include "container.h"
