// SPDX-License-Identifier: GPL-3.0-or-later
//
// Concurrency Kit: the stack of which everything is taken at once; one thread pushes, the other one takes and
// traverses.
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
// expect power, define CK_MD_RMO __ppc64__, options --target ppc64le: verified
// expect power, define CK_MD_RMO __ppc64__ SPLIT_CAS, options --target ppc64le: violated
#include "ck_client.h"
//
#include <ck_stack.h>
#include "threads.h"

static ck_stack_t stack = CK_STACK_INITIALIZER;

struct node {
  ck_stack_entry_t entry;
  int value;
};
static struct node nodes[2];
static int seen;

static void* producer(void* unused) {
  (void)unused;
  for (int i = 0; i < 2; i++) {
    nodes[i].value = i + 1;
    ck_stack_push_upmc(&stack, &nodes[i].entry);
  }
  return 0;
}

static int take_all(void) {
  int values = 0;
  for (ck_stack_entry_t* entry = ck_stack_batch_pop_upmc(&stack); entry != NULL; entry = CK_STACK_NEXT(entry)) {
    int value = ((struct node*)entry)->value;
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
  ck_stack_init(&stack);
  run_threads(producer, consumer);
  int rest = take_all();
  assert((seen & rest) == 0 && (seen | rest) == 3);
}
