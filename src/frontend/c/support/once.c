// SPDX-License-Identifier: GPL-3.0-or-later
//
// pthread_once and call_once: 1 while the function runs, 2 afterwards.
#include <threads.h>

// What std::call_once becomes: the function gets an argument.
int fl_call_once(int* state, void (*function)(void*), void* argument) {
  if (get_acquire(state) == 2) return 0;
  fl_atomic_begin();
  int before = get(state);
  fl_await(before != 1);
  if (before == 0) set(state, 1);
  fl_atomic_end();
  if (get_acquire(state) == 2) return 0;  // after another thread; else it is this one's 1
  function(argument);
  set_release(state, 2);
  return 0;
}

static void call(void* function) { ((void (*)(void))function)(); }

int pthread_once(pthread_once_t* control, void (*function)(void)) {
  return fl_call_once((int*)control, call, (void*)function);
}
void call_once(once_flag* flag, void (*function)(void)) {
  fl_call_once((int*)(void*)flag, call, (void*)function);
}
