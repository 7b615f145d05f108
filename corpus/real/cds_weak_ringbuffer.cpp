// SPDX-License-Identifier: GPL-3.0-or-later
//
// libcds: WeakRingBuffer, one producer and one consumer.
//
// expect sc tso armv8 rc11: verified
// expect armv8 rc11, define RELAXED_RELEASE: violated
#include <cds/opt/options.h>  // before the mutation: it has members of these names
//
#include "cpp_client.h"
//
#include <cds/container/weak_ringbuffer.h>

struct traits : cds::container::weak_ringbuffer::traits {
  typedef cds::opt::v::uninitialized_static_buffer<int*, 4> buffer;
};
static cds::container::WeakRingBuffer<int*, traits> queue;

static void init() {}
static bool put(int* item) { return queue.enqueue(item); }
static bool take(int** item) { return queue.dequeue(*item); }

#define FIFO
#include "container.h"
