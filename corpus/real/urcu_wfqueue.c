// SPDX-License-Identifier: GPL-3.0-or-later
//
// Userspace RCU: the older queue with a wait-free enqueue and a dummy node; it dequeues by a call of itself when the
// dummy was first.
//
// options --volatile atomic
// not yet: expect sc tso: verified
#define _LGPL_SOURCE
#define CDS_WFQ_DEPRECATED
#include "urcu_client.h"
//
#include <urcu/wfqueue.h>

static struct cds_wfq_queue queue;

struct node {
  struct cds_wfq_node link;
  int* item;
};
static struct node nodes[2];

static void init(void) { cds_wfq_init(&queue); }

static bool put(int* item) {
  struct node* node = &nodes[*item - 1];
  cds_wfq_node_init(&node->link);
  node->item = item;
  cds_wfq_enqueue(&queue, &node->link);
  return true;
}

static bool take(int** item) {
  struct cds_wfq_node* link = __cds_wfq_dequeue_blocking(&queue);
  if (link == NULL) return false;
  *item = caa_container_of(link, struct node, link)->item;
  return true;
}

#define FIFO
#include "container.h"
