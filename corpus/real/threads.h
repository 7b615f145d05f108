// SPDX-License-Identifier: GPL-3.0-or-later
//
// Two threads from start to end: pthreads in C, std::thread in C++.
#ifndef FENCELINE_REAL_THREADS_H
#define FENCELINE_REAL_THREADS_H

#ifdef __cplusplus
#include <cassert>
#include <thread>

template <typename First, typename Second>
void run_threads(First first, Second second) {
  std::thread a(first), b(second);
  a.join();
  b.join();
}

#else
#include <assert.h>
#include <pthread.h>

static inline void run_threads(void* (*first)(void*), void* (*second)(void*)) {
  pthread_t a, b;
  pthread_create(&a, 0, first, 0);
  pthread_create(&b, 0, second, 0);
  pthread_join(a, 0);
  pthread_join(b, 0);
}
#endif

#endif
