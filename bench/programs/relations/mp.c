// SPDX-License-Identifier: GPL-3.0-or-later
//
// N rounds of message passing: a value, then a flag that says how many there are.
#include <fenceline.h>
#include <pthread.h>
#include <stdatomic.h>
#ifndef N
#define N 4
#endif
static int data[N];
static atomic_int flag;
static void* producer(void* u) {
  for (int i = 0; i < N; ++i) {
    data[i] = i + 1;
    atomic_store_explicit(&flag, i + 1, memory_order_release);
  }
  return 0;
}
static void* consumer(void* u) {
  for (int i = 0; i < N; ++i) {
    int f = atomic_load_explicit(&flag, memory_order_acquire);
    if (f > i) fl_assert(data[i] == i + 1);
  }
  return 0;
}
int main(void) {
  pthread_t a, b;
  pthread_create(&a, 0, producer, 0);
  pthread_create(&b, 0, consumer, 0);
  pthread_join(a, 0);
  pthread_join(b, 0);
}
