// SPDX-License-Identifier: GPL-3.0-or-later
//
// Vyukov's bounded queue for many producers and consumers: each cell has a sequence number that says whose
// turn it is. Here it has two cells.
//
// A value is handed over by the number that the producer releases (2) and the consumer acquires (3); when the
// ring has gone round, the cell is handed back by the number that the consumer releases (4) and the producer
// acquires (1). Without the latter pair a producer may overwrite what is still being read; only Twrap goes
// round.
//
// It is not quite a queue, even on one processor: while a producer has claimed a cell and not filled it, a
// consumer finds the queue empty although later cells are full. Who enqueues and then dequeues can see that
// (Tgap). And where loads may overtake stores, one side can find it full while the other finds it empty, as
// in spsc.c (Tround).
//
// expect sc, tests T0 T1 Tpc2 Twrap Tround: verified
// expect tso rc11, tests T0 T1 Tpc2 Twrap: verified
// expect tso pso relaxed rc11, tests Tround: violated
// expect sc tso pso relaxed rc11, tests Tgap: violated
// expect sc tso, tests T0 T1 Tpc2 Twrap, weaken 1 2 3 4: verified
// expect pso relaxed, tests T0 T1 Tpc2 Twrap: verified
// expect relaxed, tests T0, weaken 2 3: violated
// expect relaxed, tests Twrap, weaken 1 4: violated
// expect rc11, tests T0, weaken 2 3: violated
// expect rc11, tests T0 T1 Tpc2, weaken 1 4: verified
// expect rc11, tests Twrap, weaken 1 4: violated
#include <fenceline.h>
#include <stdatomic.h>

enum { kCapacity = 2 };

typedef struct {
  _Atomic int sequence;
  int value;
} cell_t;

typedef struct {
  cell_t cells[kCapacity];
  _Atomic int enqueue_position;
  _Atomic int dequeue_position;
} ring_t;

ring_t ring;

void init_ring(ring_t* ring) {
  for (int i = 0; i < kCapacity; i++) {
    atomic_init(&ring->cells[i].sequence, i);
    ring->cells[i].value = 0;
  }
  atomic_init(&ring->enqueue_position, 0);
  atomic_init(&ring->dequeue_position, 0);
}

int enqueue(ring_t* ring, int value) {
  while (1) {
    int position = atomic_load_explicit(&ring->enqueue_position, memory_order_relaxed);
    cell_t* cell = &ring->cells[position % kCapacity];
    int sequence = atomic_load_explicit(&cell->sequence, fl_order(1, memory_order_acquire));
    if (sequence < position) return 0;  // full
    if (sequence == position &&
        atomic_compare_exchange_strong_explicit(&ring->enqueue_position, &position, position + 1,
                                                memory_order_relaxed, memory_order_relaxed)) {
      cell->value = value;
      atomic_store_explicit(&cell->sequence, position + 1, fl_order(2, memory_order_release));
      return 1;
    }
    fl_retry();
  }
}

int dequeue(ring_t* ring, int* value) {
  while (1) {
    int position = atomic_load_explicit(&ring->dequeue_position, memory_order_relaxed);
    cell_t* cell = &ring->cells[position % kCapacity];
    int sequence = atomic_load_explicit(&cell->sequence, fl_order(3, memory_order_acquire));
    if (sequence < position + 1) return 0;  // empty
    if (sequence == position + 1 &&
        atomic_compare_exchange_strong_explicit(&ring->dequeue_position, &position, position + 1,
                                                memory_order_relaxed, memory_order_relaxed)) {
      *value = cell->value;
      atomic_store_explicit(&cell->sequence, position + kCapacity, fl_order(4, memory_order_release));
      return 1;
    }
    fl_retry();
  }
}
