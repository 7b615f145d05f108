// SPDX-License-Identifier: GPL-3.0-or-later
//
// N times two threads raise a flag and look at the other one, all of it sequentially consistent.
#include <fenceline.h>
#include <pthread.h>
#include <stdatomic.h>
#ifndef N
#define N 4
#endif
static atomic_int x, y;
static int c;
static void* p(void* u) {
  for (int i = 0; i < N; ++i) {
    atomic_store(&x, 1);
    if (!atomic_load(&y)) {
      c++;
    }
    atomic_store(&x, 0);
  }
  return 0;
}
static void* q(void* u) {
  for (int i = 0; i < N; ++i) {
    atomic_store(&y, 1);
    if (!atomic_load(&x)) {
      c++;
    }
    atomic_store(&y, 0);
  }
  return 0;
}
int main(void) {
  pthread_t a, b;
  pthread_create(&a, 0, p, 0);
  pthread_create(&b, 0, q, 0);
  pthread_join(a, 0);
  pthread_join(b, 0);
}
