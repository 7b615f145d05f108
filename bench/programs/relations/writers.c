// SPDX-License-Identifier: GPL-3.0-or-later
//
// N threads that write to one location.
#include <fenceline.h>
#include <pthread.h>
#include <stdatomic.h>
#ifndef N
#define N 3
#endif
static atomic_int x;
static void* w(void* u) {
  atomic_store_explicit(&x, (int)(long)u, memory_order_release);
  return 0;
}
int main(void) {
  pthread_t t[N];
  for (long i = 0; i < N; ++i) pthread_create(&t[i], 0, w, (void*)(i + 1));
  int r = atomic_load_explicit(&x, memory_order_acquire);
  for (int i = 0; i < N; ++i) pthread_join(t[i], 0);
  fl_assert(r <= N && atomic_load_explicit(&x, memory_order_relaxed) > 0);
}
