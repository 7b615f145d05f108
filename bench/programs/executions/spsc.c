// SPDX-License-Identifier: GPL-3.0-or-later
//
// Ring of one producer and one consumer (Lamport): each side advances an index that only the other side reads.
// The ring has two cells; a side that finds it full or empty waits.
// The producer sends N elements.
//
// Asserted: the consumer receives them in their order.
#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stddef.h>

#ifndef N
#define N 2
#endif

enum { kCells = 2 };

static int cells[kCells];
static atomic_int head, tail;

static void send(int value) {
  const int position = atomic_load_explicit(&tail, memory_order_relaxed);
  while (position - atomic_load_explicit(&head, memory_order_acquire) == kCells) {
  }
  cells[position % kCells] = value;
  atomic_store_explicit(&tail, position + 1, memory_order_release);
}

static int receive(void) {
  const int position = atomic_load_explicit(&head, memory_order_relaxed);
  while (atomic_load_explicit(&tail, memory_order_acquire) == position) {
  }
  const int value = cells[position % kCells];
  atomic_store_explicit(&head, position + 1, memory_order_release);
  return value;
}

static void* producer(void* unused) {
  (void)unused;
  for (int i = 0; i < N; i++) send(i + 1);
  return NULL;
}

static void* consumer(void* unused) {
  (void)unused;
  for (int i = 0; i < N; i++) assert(receive() == i + 1);
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
