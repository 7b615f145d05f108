// SPDX-License-Identifier: GPL-3.0-or-later
//
// A ring between one producer and one consumer, as libraries have it: its size is computed from a configuration, the
// slots lie behind the header in one allocation, threads are started from a table, and a result comes back when they are
// joined. All sizes and bounds are constants, although none of them is written as one where it is needed: nothing writes
// the configuration, and the mask is not written once the threads run.
//
// expect sc tso pso armv8 rc11: verified
// expect sc tso, weaken 1 2: verified
// expect pso armv8 rc11, weaken 1: violated
// expect rc11, weaken 2: violated
// expect sc tso pso armv8 rc11, define RESIZED: violated
#include <assert.h>
#include <fenceline.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>

struct configuration {
  unsigned order;
  int messages;
};
static struct configuration defaults = {1, 3};

struct ring {
  unsigned size, mask;
  atomic_uint head, tail;
  int slots[];
};
static struct ring *ring;

static struct ring *ring_new(const struct configuration *configuration) {
  const unsigned size = 1u << configuration->order;
  struct ring *fresh = calloc(1, sizeof(struct ring) + size * sizeof(fresh->slots[0]));
  fresh->size = size;
  fresh->mask = fresh->size - 1;
  return fresh;
}

static void *producer(void *unused) {
  for (int i = 1; i <= defaults.messages; i++) {
    const unsigned tail = atomic_load_explicit(&ring->tail, memory_order_relaxed);
    fl_await(tail - atomic_load_explicit(&ring->head, fl_order(3, memory_order_acquire)) < ring->size);
#ifdef RESIZED
    ring->mask = 0;
#endif
    ring->slots[tail & ring->mask] = i;
    atomic_store_explicit(&ring->tail, tail + 1, fl_order(1, memory_order_release));
  }
  return unused;
}

static void *consumer(void *unused) {
  (void)unused;
  long sum = 0;
  for (int i = 1; i <= defaults.messages; i++) {
    const unsigned head = atomic_load_explicit(&ring->head, memory_order_relaxed);
    fl_await(atomic_load_explicit(&ring->tail, fl_order(2, memory_order_acquire)) != head);
    const int value = ring->slots[head & ring->mask];
    assert(value == i);
    sum += value;
    atomic_store_explicit(&ring->head, head + 1, fl_order(4, memory_order_release));
  }
  return (void *)sum;
}

static void *(*const roles[])(void *) = {producer, consumer};

int main(int argc, char **argv) {
  const int threads = argc > 1 ? atoi(argv[1]) : (int)(sizeof roles / sizeof roles[0]);
  pthread_t started[threads];
  void *sum;
  ring = ring_new(&defaults);
  for (int i = 0; i < threads; i++) pthread_create(&started[i], NULL, roles[i], NULL);
  pthread_join(started[0], NULL);
  pthread_join(started[1], &sum);
  assert(sum == (void *)6);
  return 0;
}
