// SPDX-License-Identifier: GPL-3.0-or-later
//
// A stack for one thread, in an array: what treiber.cpp should look like from outside. More than eight values
// are an error.
#include <fenceline.h>

struct Stack {
  int count = 0;
  int values[8] = {};
};

Stack stack;

void init_stack(Stack& stack) { stack.count = 0; }

void push(Stack& stack, int value) {
  fl_assert(stack.count < 8);
  stack.values[stack.count] = value;
  stack.count = stack.count + 1;
}

int pop(Stack& stack, int* value) {
  if (stack.count == 0) return 0;
  stack.count = stack.count - 1;
  *value = stack.values[stack.count];
  return 1;
}
