// SPDX-License-Identifier: GPL-3.0-or-later
//
// A queue for one thread, in an array: what msn.c and ms2.c should look like from outside. More than sixteen
// values are an error.
#include <fenceline.h>

enum { kCapacity = 16 };

typedef int value_t;

typedef struct {
  int first, count;
  value_t values[kCapacity];
} queue_t;

queue_t queue;

void init_queue(queue_t* queue) { queue->first = queue->count = 0; }

void enqueue(queue_t* queue, value_t value) {
  fl_assert(queue->count < kCapacity);
  queue->values[queue->count] = value;
  queue->count = queue->count + 1;
}

int dequeue(queue_t* queue, value_t* pvalue) {
  if (queue->first == queue->count) return 0;
  *pvalue = queue->values[queue->first];
  queue->first = queue->first + 1;
  return 1;
}
