// SPDX-License-Identifier: GPL-3.0-or-later
//
// Userspace RCU: the stack with a wait-free push. Several threads may push; pops are under the stack's own mutex.
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
#include <urcu/wfstack.h>

static struct cds_wfs_stack stack;

struct node {
  struct cds_wfs_node link;
  int* item;
};
static struct node nodes[2];

static void init(void) { cds_wfs_init(&stack); }

static bool put(int* item) {
  struct node* node = &nodes[*item - 1];
  cds_wfs_node_init(&node->link);
  node->item = item;
  cds_wfs_push(&stack, &node->link);
  return true;
}

static bool take(int** item) {
  struct cds_wfs_node* link = cds_wfs_pop_blocking(&stack);
  if (link == NULL) return false;
  *item = caa_container_of(link, struct node, link)->item;
  return true;
}

#define BOTH_WAYS
#include "container.h"
