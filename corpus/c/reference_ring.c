// SPDX-License-Identifier: GPL-3.0-or-later
//
// A queue of at most two values for one thread: what mpmc.c and spsc.c should look like from outside.
enum { kCapacity = 2 };

typedef struct {
  int first, count;
  int values[kCapacity];
} ring_t;

ring_t ring;

void init_ring(ring_t* ring) { ring->first = ring->count = 0; }

int enqueue(ring_t* ring, int value) {
  if (ring->count == kCapacity) return 0;
  ring->values[(ring->first + ring->count) % kCapacity] = value;
  ring->count = ring->count + 1;
  return 1;
}

int dequeue(ring_t* ring, int* value) {
  if (ring->count == 0) return 0;
  *value = ring->values[ring->first];
  ring->first = (ring->first + 1) % kCapacity;
  ring->count = ring->count - 1;
  return 1;
}
