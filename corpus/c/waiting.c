// SPDX-License-Identifier: GPL-3.0-or-later
//
// A stack of one value. To take a value means to wait for one, for ever if need be; with TURNS, every look
// leaves something behind.
//
// In T0 the value comes, and what is taken is what was put. Where no thread puts one (T1, T2), or not enough
// (T3), no order of the operations comes to an end. Then every property of all executions that end holds,
// and says nothing.
//
// expect sc tso relaxed armv8 rc11, tests T0: verified
// expect sc tso relaxed armv8 rc11, tests T1 T2 T3: unknown
// expect sc tso, tests T0, define TURNS: verified
// expect sc tso relaxed, tests T1 T2 T3, define TURNS: unknown
#include <stdatomic.h>

typedef struct {
  int value;
  atomic_int full;
  char turn;
} stack_t;

stack_t stack;

void init_stack(stack_t* stack) { stack->full = stack->turn = 0; }

void push(stack_t* stack, int value) {
  stack->value = value;
  atomic_store_explicit(&stack->full, 1, memory_order_release);
}

int pop(stack_t* stack, int* value) {
  while (!atomic_load_explicit(&stack->full, memory_order_acquire)) {
#ifdef TURNS
    stack->turn++;
#endif
  }
  *value = stack->value;
  atomic_store_explicit(&stack->full, 0, memory_order_relaxed);
  return 1;
}
