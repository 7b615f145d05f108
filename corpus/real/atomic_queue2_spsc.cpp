// SPDX-License-Identifier: GPL-3.0-or-later
//
// atomic_queue: AtomicQueue2, with a state beside each element, for one producer and one consumer.
//
// expect sc tso armv8 rc11: verified
// expect armv8 rc11, define RELAXED_RELEASE: violated
#include "cpp_client.h"
//
#include <atomic_queue/atomic_queue.h>

static atomic_queue::AtomicQueue2<int*, 4, false, true, false, true> queue;

static void init() {}
static bool put(int* item) { return queue.try_push(item); }
static bool take(int** item) { return queue.try_pop(*item); }

#define FIFO
#include "container.h"
