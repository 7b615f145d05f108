// SPDX-License-Identifier: GPL-3.0-or-later
//
// Ring of one producer and one consumer without shared indices (as in FastForward): a cell that is 0 is empty,
// so both sides synchronise through the cells alone. The ring has four cells; a side that finds its cell full or
// empty waits. There is one execution, whatever N is.
// The producer sends N elements.
//
// Asserted: the consumer receives them in their order, with the data that belong to them.
#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stddef.h>

#ifndef N
#define N 2
#endif

enum { kCells = 4 };

static int data[N];
static _Atomic(int*) cells[kCells];

static void* producer(void* unused) {
  (void)unused;
  for (int i = 0; i < N; i++) {
    data[i] = i + 1;
    while (atomic_load_explicit(&cells[i % kCells], memory_order_acquire) != NULL) {
    }
    atomic_store_explicit(&cells[i % kCells], &data[i], memory_order_release);
  }
  return NULL;
}

static void* consumer(void* unused) {
  (void)unused;
  for (int i = 0; i < N; i++) {
    int* element;
    while ((element = atomic_load_explicit(&cells[i % kCells], memory_order_acquire)) == NULL) {
    }
    assert(*element == i + 1);
    atomic_store_explicit(&cells[i % kCells], NULL, memory_order_release);
  }
  return NULL;
}

int main(void) {
  pthread_t sender, receiver;
  pthread_create(&sender, NULL, producer, NULL);
  pthread_create(&receiver, NULL, consumer, NULL);
  pthread_join(sender, NULL);
  pthread_join(receiver, NULL);
  return 0;
}
