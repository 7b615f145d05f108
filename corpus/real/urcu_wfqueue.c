// SPDX-License-Identifier: GPL-3.0-or-later
//
// Userspace RCU: the older queue with a wait-free enqueue and a dummy node; it dequeues by a call of itself when the
// dummy was first. It initialises the dummy, which it has reached by a volatile load, with a plain store: a data race with
// the store of the link in C11.
//
// options --volatile atomic
// expect sc tso: verified
// expect sc tso, define SPLIT_XCHG: violated
// expect sc tso armv8, define FOR_AARCH64: verified
// expect rc11, define FOR_AARCH64: violated
#define _LGPL_SOURCE
#define CDS_WFQ_DEPRECATED
#include "urcu_client.h"
//
#include <urcu/wfqueue.h>

static struct cds_wfq_queue queue;

static struct cds_wfq_node nodes[2];
static int* items_of[2];  // by the number of the node

static void init(void) { cds_wfq_init(&queue); }

static bool put(int* item) {
  int number = *item - 1;
  cds_wfq_node_init(&nodes[number]);
  items_of[number] = item;
  cds_wfq_enqueue(&queue, &nodes[number]);
  return true;
}

static bool take(int** item) {
  struct cds_wfq_node* node = __cds_wfq_dequeue_blocking(&queue);
  if (node == NULL) return false;
  *item = items_of[node - nodes];
  return true;
}

#define FIFO
#include "container.h"
