// SPDX-License-Identifier: GPL-3.0-or-later
//
// Concurrency Kit: the stack with a generation counter and double-width compare-and-swap. (The compiler's
// atomics have none of that width, so there is no such stack with them.)
//
// options --volatile atomic
// expect sc tso: verified
// expect sc tso, define SPLIT_CAS: violated
// expect armv8, define CK_MD_RMO, options --target aarch64: verified
// expect armv8, define CK_MD_RMO SPLIT_CAS, options --target aarch64: violated
#include "ck_client.h"
//
#include <ck_stack.h>

static ck_stack_t stack = CK_STACK_INITIALIZER;

struct node {
  ck_stack_entry_t entry;
  int* item;
};
static struct node nodes[2];

static void init(void) { ck_stack_init(&stack); }

static bool put(int* item) {
  struct node* node = &nodes[*item - 1];
  node->item = item;
  ck_stack_push_mpmc(&stack, &node->entry);
  return true;
}

static bool take(int** item) {
  ck_stack_entry_t* entry = ck_stack_pop_mpmc(&stack);
  if (entry == NULL) return false;
  *item = ((struct node*)entry)->item;
  return true;
}

#define BOTH_WAYS
#include "container.h"
