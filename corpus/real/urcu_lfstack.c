// SPDX-License-Identifier: GPL-3.0-or-later
//
// Userspace RCU: the lock-free stack. Several threads may push; pops are under the stack's own mutex.
// On AArch64 dependencies order what is read through pointers; in C it is a data race.
//
// options --volatile atomic
// expect sc tso: verified
// expect sc tso, define SPLIT_CMPXCHG: violated
// expect sc tso armv8, define FOR_AARCH64: verified
// expect rc11, define FOR_AARCH64: violated
// expect sc tso armv8, define FOR_AARCH64 SPLIT_CMPXCHG: violated
#define _LGPL_SOURCE
#include "urcu_client.h"
//
#include <urcu/lfstack.h>

static struct cds_lfs_stack stack;

struct node {
  struct cds_lfs_node link;
  int* item;
};
static struct node nodes[2];

static void init(void) { cds_lfs_init(&stack); }

static bool put(int* item) {
  struct node* node = &nodes[*item - 1];
  cds_lfs_node_init(&node->link);
  node->item = item;
  cds_lfs_push(&stack, &node->link);
  return true;
}

static bool take(int** item) {
  struct cds_lfs_node* link = cds_lfs_pop_blocking(&stack);
  if (link == NULL) return false;
  *item = caa_container_of(link, struct node, link)->item;
  return true;
}

#define BOTH_WAYS
#include "container.h"
