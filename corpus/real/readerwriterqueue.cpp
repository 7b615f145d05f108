// SPDX-License-Identifier: GPL-3.0-or-later
//
// moodycamel::ReaderWriterQueue: one producer, one consumer; blocks of a circular list.
// There is one block here, so the assertions about the next one are not reached: vacuous.
//
// expect sc tso armv8 rc11, vacuous: verified
// expect armv8 rc11, define WITHOUT_FENCES: violated
#include "cpp_client.h"
//
#include <readerwriterqueue/readerwriterqueue.h>

static moodycamel::ReaderWriterQueue<int*> queue(3);

static void init() {}
static bool put(int* item) { return queue.try_enqueue(item); }
static bool take(int** item) { return queue.try_dequeue(*item); }

#define FIFO
#include "container.h"
