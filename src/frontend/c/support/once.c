// SPDX-License-Identifier: GPL-3.0-or-later
//
// pthread_once and call_once: 1 while the function runs, and negative when it has returned.
#include <limits.h>
#include <threads.h>

#define RETURNED (INT_MIN / 2)  // and one more for each call that has waited for it

// 1: the caller is to call the function now, and then fl_end_once.
int fl_begin_once(int* state) {
  if (get_acquire(state) < 0) return 0;
  fl_take(state, INT_MIN, 0, 1);
  return get(state) > 0;
}
void fl_end_once(int* state) { set_release(state, RETURNED); }
// The function was left by an exception: that does not count.
void fl_abort_once(int* state) { set_release(state, 0); }

static void once(int* state, void (*function)(void)) {
  if (!fl_begin_once(state)) return;
  function();
  fl_end_once(state);
}

int pthread_once(pthread_once_t* control, void (*function)(void)) {
  once((int*)control, function);
  return 0;
}
void call_once(once_flag* flag, void (*function)(void)) { once((int*)(void*)flag, function); }
