// SPDX-License-Identifier: GPL-3.0-or-later
//
// Concurrency Kit: Treiber's stack for unique producers and several consumers.
// With the compiler's atomics, ck_pr_load_ptr() and ck_pr_store_ptr() cast to a pointer to `volatile void*`: what is
// accessed is not volatile itself, which is a data race in C.
//
// options --volatile atomic
// expect sc tso: verified
// expect sc tso, define SPLIT_CAS: violated
// expect sc tso armv8, define CK_MD_RMO CK_USE_CC_BUILTINS=1: verified
// expect rc11, define CK_MD_RMO CK_USE_CC_BUILTINS=1: violated
// expect sc tso armv8, define CK_MD_RMO CK_USE_CC_BUILTINS=1 SPLIT_CAS: violated
// expect armv8, define CK_MD_RMO, options --target aarch64: verified
// expect armv8, define CK_MD_RMO SPLIT_CAS, options --target aarch64: violated
// expect power, define CK_MD_RMO __ppc64__ SPLIT_CAS, options --target ppc64le: violated
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
  ck_stack_push_upmc(&stack, &node->entry);
  return true;
}

static bool take(int** item) {
  ck_stack_entry_t* entry = ck_stack_pop_upmc(&stack);
  if (entry == NULL) return false;
  *item = ((struct node*)entry)->item;
  return true;
}

#define BOTH_WAYS
#include "container.h"
