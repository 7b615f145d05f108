// SPDX-License-Identifier: GPL-3.0-or-later
//
// Userspace RCU: the stack with a wait-free push, of which everything is taken at once and traversed.
//
// options --volatile atomic
// expect sc tso rc11: verified
// expect armv8, define FOR_AARCH64: verified
// expect sc tso, define SPLIT_XCHG: violated
// expect sc tso, define FOR_AARCH64: verified
#define _LGPL_SOURCE
#include "urcu_client.h"
//
#include <urcu/wfstack.h>
#include "threads.h"

static struct __cds_wfs_stack stack;

struct node {
  struct cds_wfs_node link;
  int value;
};
static struct node nodes[2];
static int seen;

static void* producer(void* unused) {
  (void)unused;
  for (int i = 0; i < 2; i++) {
    cds_wfs_node_init(&nodes[i].link);
    nodes[i].value = i + 1;
    cds_wfs_push(&stack, &nodes[i].link);
  }
  return 0;
}

static int take_all(void) {
  int values = 0;
  struct cds_wfs_head* head = __cds_wfs_pop_all(&stack);
  if (head == NULL) return 0;
  struct cds_wfs_node* link;
  cds_wfs_for_each_blocking(head, link) {
    int value = caa_container_of(link, struct node, link)->value;
    assert(value == 1 || value == 2);
    assert((values & value) == 0);
    values |= value;
  }
  return values;
}

static void* consumer(void* unused) {
  (void)unused;
  seen = take_all();
  return 0;
}

int main(void) {
  __cds_wfs_init(&stack);
  run_threads(producer, consumer);
  int rest = take_all();
  assert((seen & rest) == 0 && (seen | rest) == 3);
}
