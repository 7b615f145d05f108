// SPDX-License-Identifier: GPL-3.0-or-later
//
// A stack for one thread, in an array: what treiber.c should look like from outside. More than eight values
// are an error.
#include <fenceline.h>

enum { kCapacity = 8 };

typedef struct {
  int count;
  int values[kCapacity];
} lifo_t;

lifo_t stack;

void init_stack(lifo_t* stack) { stack->count = 0; }

void push(lifo_t* stack, int value) {
  fl_assert(stack->count < kCapacity);
  stack->values[stack->count] = value;
  stack->count = stack->count + 1;
}

int pop(lifo_t* stack, int* value) {
  if (stack->count == 0) return 0;
  stack->count = stack->count - 1;
  *value = stack->values[stack->count];
  return 1;
}
