// SPDX-License-Identifier: GPL-3.0-or-later
//
// Concurrency Kit: Treiber's stack for unique producers, as a data type: what its threads observe could also be
// observed with the operations one after the other (ck_linear_stack.tests).
// With the compiler's atomics, ck_pr_load_ptr() casts to a pointer to `volatile void*`: what is accessed is not
// volatile itself, which is a data race in C.
//
// options --volatile atomic
// expect sc tso armv8, define CK_MD_RMO CK_USE_CC_BUILTINS=1: verified
// expect rc11, tests T0, define CK_MD_RMO CK_USE_CC_BUILTINS=1: violated
// expect sc tso armv8, tests Tpo, define CK_MD_RMO CK_USE_CC_BUILTINS=1 SPLIT_CAS: violated
// expect sc tso: verified
// expect sc tso, tests Tpo, define SPLIT_CAS: violated
// expect armv8, define CK_MD_RMO, options --target aarch64: verified
// expect power, define CK_MD_RMO __ppc64__, options --target ppc64le: verified
#include "ck_client.h"
//
#include <ck_stack.h>
#include <stdlib.h>

struct node {
  ck_stack_entry_t entry;
  int value;
};

ck_stack_t stack;

void init_stack(ck_stack_t* stack) { ck_stack_init(stack); }

void push(ck_stack_t* stack, int value) {
  struct node* node = malloc(sizeof(struct node));
  node->value = value;
  ck_stack_push_upmc(stack, &node->entry);
}

int pop(ck_stack_t* stack, int* value) {
  ck_stack_entry_t* entry = ck_stack_pop_upmc(stack);
  if (entry == NULL) return 0;
  *value = ((struct node*)entry)->value;
  return 1;
}
