// SPDX-License-Identifier: GPL-3.0-or-later
//
// pthread_once and call_once: 1 while the function runs, 2 afterwards.
#include <threads.h>

static void once(int* state, void (*function)(void)) {
  fl_atomic_begin();
  int before = get(state);
  fl_await(before != 1);
  if (before == 0) set(state, 1);
  fl_atomic_end();
  acquire();
  if (before != 0) return;
  function();
  release();
  set(state, 2);
}

int pthread_once(pthread_once_t* control, void (*function)(void)) {
  once((int*)control, function);
  return 0;
}
void call_once(once_flag* flag, void (*function)(void)) { once((int*)(void*)flag, function); }
