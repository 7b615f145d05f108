// SPDX-License-Identifier: GPL-3.0-or-later
//
// Mutual exclusion: two threads increment a counter that is not atomic. Included after the functions
// init_lock(), lock(thread) and unlock(thread).
#ifndef FENCELINE_REAL_MUTUAL_EXCLUSION_H
#define FENCELINE_REAL_MUTUAL_EXCLUSION_H
#include "threads.h"

static int counter;

static inline void increment(int thread) {
  lock(thread);
  ++counter;
  unlock(thread);
}

#ifdef __cplusplus
int main() {
  init_lock();
  run_threads([] { increment(0); }, [] { increment(1); });
  assert(counter == 2);
}
#else
static void* first_thread(void* unused) {
  (void)unused;
  increment(0);
  return 0;
}

static void* second_thread(void* unused) {
  (void)unused;
  increment(1);
  return 0;
}

int main(void) {
  init_lock();
  run_threads(first_thread, second_thread);
  assert(counter == 2);
}
#endif

#endif
