// SPDX-License-Identifier: GPL-3.0-or-later
//
// N threads that take a ticket lock once.
#include <fenceline.h>
#include <pthread.h>
#include <stdatomic.h>
#ifndef N
#define N 3
#endif
static atomic_uint next, serving;
static int count;
static void* worker(void* u) {
  unsigned mine = atomic_fetch_add_explicit(&next, 1, memory_order_relaxed);
  while (atomic_load_explicit(&serving, memory_order_acquire) != mine)
    ;
  count = count + 1;
  atomic_store_explicit(&serving, mine + 1, memory_order_release);
  return 0;
}
int main(void) {
  pthread_t t[N];
  for (int i = 0; i < N; ++i) pthread_create(&t[i], 0, worker, 0);
  for (int i = 0; i < N; ++i) pthread_join(t[i], 0);
  fl_assert(count == N);
}
