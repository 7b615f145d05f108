// SPDX-License-Identifier: GPL-3.0-or-later
//
// moodycamel::BlockingReaderWriterCircularBuffer: a ring with two semaphores.
//
// expect sc tso armv8 rc11: verified
// expect armv8 rc11, define RELAXED_FETCH_ADD: violated
#include "cpp_client.h"
//
#include <readerwriterqueue/readerwritercircularbuffer.h>

static moodycamel::BlockingReaderWriterCircularBuffer<int*> queue(2);

static void init() {}
static bool put(int* item) { return queue.try_enqueue(item); }
static bool take(int** item) { return queue.try_dequeue(*item); }

#define FIFO
#include "container.h"
