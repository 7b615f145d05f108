// SPDX-License-Identifier: GPL-3.0-or-later
//
// N elements through a ring with one producer and one consumer.
#include <fenceline.h>
#include <pthread.h>
#include <stdatomic.h>
#ifndef N
#define N 4
#endif
#define SIZE 4
static int slot[SIZE];
static atomic_uint head, tail;
static void* producer(void* u) {
  for (unsigned i = 0; i < N; ++i) {
    while (i - atomic_load_explicit(&head, memory_order_acquire) == SIZE)
      ;
    slot[i % SIZE] = (int)i + 1;
    atomic_store_explicit(&tail, i + 1, memory_order_release);
  }
  return 0;
}
static void* consumer(void* u) {
  for (unsigned i = 0; i < N; ++i) {
    while (atomic_load_explicit(&tail, memory_order_acquire) == i)
      ;
    fl_assert(slot[i % SIZE] == (int)i + 1);
    atomic_store_explicit(&head, i + 1, memory_order_release);
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
