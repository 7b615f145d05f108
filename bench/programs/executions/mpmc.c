// SPDX-License-Identifier: GPL-3.0-or-later
//
// Bounded queue for many producers and consumers (Vyukov): each cell has a number that determines whose turn it
// is. The queue has two cells.
// N threads enqueue a value each, N threads dequeue once; an operation fails if the queue is full or empty.
//
// Asserted: a value that was dequeued was enqueued, and no two threads get the same.
#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stddef.h>
#include <stdint.h>

#ifndef N
#define N 2
#endif

enum { kCells = 2, kNothing = -1 };

struct cell {
  atomic_int number;
  int value;
};

static struct cell cells[kCells];
static atomic_int enqueue_position, dequeue_position;
static int got[N];

static int enqueue(int value) {
  for (;;) {
    int position = atomic_load_explicit(&enqueue_position, memory_order_relaxed);
    struct cell* cell = &cells[position % kCells];
    const int number = atomic_load_explicit(&cell->number, memory_order_acquire);
    if (number < position) return 0;
    if (number == position &&
        atomic_compare_exchange_strong_explicit(&enqueue_position, &position, position + 1,
                                                memory_order_relaxed, memory_order_relaxed)) {
      cell->value = value;
      atomic_store_explicit(&cell->number, position + 1, memory_order_release);
      return 1;
    }
  }
}

static int dequeue(void) {
  for (;;) {
    int position = atomic_load_explicit(&dequeue_position, memory_order_relaxed);
    struct cell* cell = &cells[position % kCells];
    const int number = atomic_load_explicit(&cell->number, memory_order_acquire);
    if (number < position + 1) return kNothing;
    if (number == position + 1 &&
        atomic_compare_exchange_strong_explicit(&dequeue_position, &position, position + 1,
                                                memory_order_relaxed, memory_order_relaxed)) {
      const int value = cell->value;
      atomic_store_explicit(&cell->number, position + kCells, memory_order_release);
      return value;
    }
  }
}

static void* producer(void* argument) {
  enqueue((int)(intptr_t)argument);
  return NULL;
}

static void* consumer(void* argument) {
  *(int*)argument = dequeue();
  return NULL;
}

int main(void) {
  for (int i = 0; i < kCells; i++) atomic_init(&cells[i].number, i);
  pthread_t producers[N], consumers[N];
  for (int i = 0; i < N; i++) pthread_create(&producers[i], NULL, producer, (void*)(intptr_t)(i + 1));
  for (int i = 0; i < N; i++) pthread_create(&consumers[i], NULL, consumer, &got[i]);
  for (int i = 0; i < N; i++) pthread_join(producers[i], NULL);
  for (int i = 0; i < N; i++) pthread_join(consumers[i], NULL);
  for (int i = 0; i < N; i++) {
    assert(got[i] == kNothing || (1 <= got[i] && got[i] <= N));
    for (int j = 0; j < i; j++) assert(got[i] == kNothing || got[i] != got[j]);
  }
  return 0;
}
