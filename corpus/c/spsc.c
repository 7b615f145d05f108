// SPDX-License-Identifier: GPL-3.0-or-later
//
// A ring of two cells for one producer and one consumer: each moves its own index and only looks at the
// other's.
//
// The value is written before the tail moves (2) and read after it was seen to (3); the cell is free again
// when the head has moved (4) and the producer has seen it (1). Only Twrap and Tpc3 use a cell twice.
//
// Each side may look at the other's index before its own has arrived. So it can be that the producer finds
// the ring full, because nothing was taken yet, and the consumer has taken one and finds it empty, because
// the second was not put yet. No order of the operations explains both. Tpc3 shows it wherever loads may
// overtake stores; this is harmless in practice.
//
// expect sc: verified
// expect tso rc11, tests T0 Tpc2 Twrap: verified
// expect tso pso relaxed rc11, tests Tpc3: violated
// expect sc, weaken 1 2 3 4: verified
// expect tso, tests T0 Tpc2 Twrap, weaken 1 2 3 4: verified
// expect pso relaxed, tests T0 Tpc2 Twrap: verified
// expect relaxed, tests T0, weaken 2 3: violated
// expect relaxed, tests Twrap, weaken 1 4: violated
// expect rc11, tests T0, weaken 2 3: violated
// expect rc11, tests T0 Tpc2, weaken 1 4: verified
// expect rc11, tests Twrap, weaken 1 4: violated
#include <fenceline.h>
#include <stdatomic.h>

enum { kCapacity = 2 };

typedef struct {
  _Atomic int head;  // what was taken so far
  _Atomic int tail;  // what was put so far
  int values[kCapacity];
} ring_t;

ring_t ring;

void init_ring(ring_t* ring) {
  atomic_init(&ring->head, 0);
  atomic_init(&ring->tail, 0);
  for (int i = 0; i < kCapacity; i++) ring->values[i] = 0;
}

int enqueue(ring_t* ring, int value) {
  int tail = atomic_load_explicit(&ring->tail, memory_order_relaxed);
  int head = atomic_load_explicit(&ring->head, fl_order(1, memory_order_acquire));
  if (tail - head == kCapacity) return 0;
  ring->values[tail % kCapacity] = value;
  atomic_store_explicit(&ring->tail, tail + 1, fl_order(2, memory_order_release));
  return 1;
}

int dequeue(ring_t* ring, int* value) {
  int head = atomic_load_explicit(&ring->head, memory_order_relaxed);
  int tail = atomic_load_explicit(&ring->tail, fl_order(3, memory_order_acquire));
  if (tail == head) return 0;
  *value = ring->values[head % kCapacity];
  atomic_store_explicit(&ring->head, head + 1, fl_order(4, memory_order_release));
  return 1;
}
