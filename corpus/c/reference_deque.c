// SPDX-License-Identifier: GPL-3.0-or-later
//
// A deque for one thread, in the middle of an array: what snark.c should look like from outside. More than
// four values on one side are an error.
#include <fenceline.h>

enum { kMiddle = 4 };

typedef int value_t;

typedef struct {
  int left, right;  // the values are in left .. right - 1
  value_t values[2 * kMiddle];
} deque_t;

deque_t deque;

void init_deque(deque_t* deque) { deque->left = deque->right = kMiddle; }

void push_right(deque_t* deque, value_t value) {
  fl_assert(deque->right < 2 * kMiddle);
  deque->values[deque->right] = value;
  deque->right = deque->right + 1;
}

void push_left(deque_t* deque, value_t value) {
  fl_assert(deque->left > 0);
  deque->left = deque->left - 1;
  deque->values[deque->left] = value;
}

int pop_right(deque_t* deque, value_t* pvalue) {
  if (deque->left == deque->right) return 0;
  deque->right = deque->right - 1;
  *pvalue = deque->values[deque->right];
  return 1;
}

int pop_left(deque_t* deque, value_t* pvalue) {
  if (deque->left == deque->right) return 0;
  *pvalue = deque->values[deque->left];
  deque->left = deque->left + 1;
  return 1;
}
