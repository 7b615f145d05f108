// SPDX-License-Identifier: GPL-3.0-or-later
//
// Treiber's stack with C11 atomics. Nodes are never given back, so the top cannot return to an old value by
// chance.
//
// The release (1) of who pushes makes the node known to who pops (2). A pop need not release: the exchanges
// of the top that follow one another are one release sequence. Without the release the node may be late on PSO,
// since a compare-and-exchange there does not wait for stores to other places.
//
// On Relaxed loads of one place may come in any order: a retry need not see anything new, so its loop has no
// bound, and only the test without retries is decided.
//
// expect sc tso rc11: verified
// expect sc tso, weaken 1 2: verified
// expect pso: verified
// expect relaxed, tests T0: verified
// expect pso, tests T0, weaken 1: violated
// expect relaxed, tests T0, weaken 1 2: violated
// expect rc11, tests T0, weaken 1 2: violated
#include <fenceline.h>
#include <stdatomic.h>
#include <stdlib.h>

typedef struct node {
  int value;
  struct node* next;
} node_t;

typedef struct {
  _Atomic(node_t*) top;
} lifo_t;

lifo_t stack;

void init_stack(lifo_t* stack) { atomic_init(&stack->top, NULL); }

void push(lifo_t* stack, int value) {
  node_t* node = malloc(sizeof(node_t));
  node->value = value;
  while (1) {
    node_t* top = atomic_load_explicit(&stack->top, memory_order_relaxed);
    node->next = top;
    if (atomic_compare_exchange_strong_explicit(&stack->top, &top, node, fl_order(1, memory_order_release),
                                                memory_order_relaxed))
      return;
    fl_retry();
  }
}

int pop(lifo_t* stack, int* value) {
  while (1) {
    node_t* top = atomic_load_explicit(&stack->top, fl_order(2, memory_order_acquire));
    if (top == NULL) return 0;
    node_t* next = top->next;
    if (atomic_compare_exchange_strong_explicit(&stack->top, &top, next, memory_order_relaxed,
                                                memory_order_relaxed)) {
      *value = top->value;
      return 1;
    }
    fl_retry();
  }
}
