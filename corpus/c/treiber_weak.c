// SPDX-License-Identifier: GPL-3.0-or-later
//
// Treiber's stack as it is usually written: a weak compare-exchange that fails hands over the new top, and the loop
// goes on with it. On machines with dependencies a spurious failure makes the next iteration depend on another load,
// so such failures are counted there, and one of each thread is checked (FL_SPURIOUS_FAILURES).
//
// The release (1) of the exchange that pushes, and the acquires (2) of pop, pass on what is in the node; ARM, RISC-V
// and Power respect the dependency of the load of `next` and `value` on the top, so there the acquires are not needed.
// PATIENT: what goes wrong only after two failures of one thread is found with a limit of 2.
//
// expect sc tso armv8 riscv power rc11: verified
// expect armv8 riscv power rc11, weaken 1: violated
// expect sc tso armv8 riscv power, weaken 2: verified
// expect rc11, weaken 2: violated
// expect sc tso, define PATIENT: violated
// expect armv8 riscv power, define PATIENT: verified
// expect armv8 riscv power, define PATIENT FL_SPURIOUS_FAILURES=2: violated
// expect armv8, define PATIENT FL_SPURIOUS_FAILURES=any: violated
#include <assert.h>
#include <fenceline.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>

struct node {
  int value;
  struct node* next;
};

_Atomic(struct node*) top;

void push(int value) {
  struct node* node = malloc(sizeof *node);
  node->value = value;
  node->next = atomic_load_explicit(&top, memory_order_relaxed);
#ifdef PATIENT
  int failures = 0;
#define FAILED failures++
#else
#define FAILED continue
#endif
  while (!atomic_compare_exchange_weak_explicit(&top, &node->next, node, fl_order(1, memory_order_release),
                                                memory_order_relaxed))
    FAILED;
#ifdef PATIENT
  assert(failures != 2);
#endif
}

int pop(void) {
  struct node* node = atomic_load_explicit(&top, fl_order(2, memory_order_acquire));
  while (node != NULL &&
         !atomic_compare_exchange_weak_explicit(&top, &node, node->next, fl_order(2, memory_order_acquire),
                                                fl_order(2, memory_order_acquire)))
    continue;
  return node == NULL ? 0 : node->value;
}

#ifdef PATIENT
int main(void) { push(1); }
#else
void* taker(void* unused) {
  const int value = pop();
  assert(value == 0 || value == 1 || value == 2);
  return NULL;
}

int main(void) {
  pthread_t thread;
  pthread_create(&thread, NULL, taker, NULL);
  push(1);
  push(2);
  pthread_join(thread, NULL);
}
#endif
