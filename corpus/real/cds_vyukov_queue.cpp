// SPDX-License-Identifier: GPL-3.0-or-later
//
// libcds: Vyukov's bounded queue for several producers and consumers.
//
// expect sc tso armv8 rc11: verified
// expect armv8 rc11, define RELAXED_RELEASE: violated
#include <cds/opt/options.h>  // before the mutation: it has members of these names
//
#include "cpp_client.h"
//
#include <cds/container/vyukov_mpmc_cycle_queue.h>

struct traits : cds::container::vyukov_queue::traits {
  typedef cds::opt::v::uninitialized_static_buffer<int*, 4> buffer;
};
static cds::container::VyukovMPMCCycleQueue<int*, traits> queue;

static void init() {}
static bool put(int* item) { return queue.enqueue(item); }
static bool take(int** item) { return queue.dequeue(*item); }

#define BOTH_WAYS
#include "container.h"
