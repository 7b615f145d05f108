// SPDX-License-Identifier: GPL-3.0-or-later
//
// Userspace RCU: the queue with a wait-free enqueue; one thread enqueues, the other one dequeues.
// Clang implements __sync_val_compare_and_swap() on AArch64 as an acquiring load and a releasing store, which does not
// order the accesses before and after it: the link may arrive before what is in the node. (GCC adds a fence.)
//
// options --volatile atomic
// expect sc tso: verified
// expect sc tso, define SPLIT_CMPXCHG: violated
// expect sc tso, define FOR_AARCH64: verified
// expect armv8 rc11, define FOR_AARCH64: violated
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
  struct cds_wfcq_node* link = __cds_wfcq_dequeue_blocking(&head, &tail);
  if (link == NULL) return false;
  *item = caa_container_of(link, struct node, link)->item;
  return true;
}

#define FIFO
#include "container.h"
