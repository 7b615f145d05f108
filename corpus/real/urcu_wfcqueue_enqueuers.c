// SPDX-License-Identifier: GPL-3.0-or-later
//
// Userspace RCU: the queue with a wait-free enqueue; two threads enqueue, and dequeue under the queue's own mutex.
//
// options --volatile atomic
// expect sc tso: verified
// expect rc11: violated
// expect armv8: verified
// expect sc tso, define SPLIT_XCHG: violated
// expect sc tso, define FOR_AARCH64: verified
#define _LGPL_SOURCE
#include "urcu_client.h"
//
#include <urcu/wfcqueue.h>

static struct cds_wfcq_head head;
static struct cds_wfcq_tail tail;

struct node {
  struct cds_wfcq_node link;
  int* item;
};
static struct node nodes[2];

static void init(void) { cds_wfcq_init(&head, &tail); }

static bool put(int* item) {
  struct node* node = &nodes[*item - 1];
  cds_wfcq_node_init(&node->link);
  node->item = item;
  cds_wfcq_enqueue(&head, &tail, &node->link);
  return true;
}

static bool take(int** item) {
  struct cds_wfcq_node* link = cds_wfcq_dequeue_blocking(&head, &tail);
  if (link == NULL) return false;
  *item = caa_container_of(link, struct node, link)->item;
  return true;
}

#define BOTH_WAYS
#include "container.h"
