// SPDX-License-Identifier: GPL-3.0-or-later
//
// The two-lock queue of Michael and Scott (PODC 1996): one lock for those who enqueue, one for those who
// dequeue. The two meet without a lock at the link of the last node, which must not be seen before the node
// is complete (1); and the node must be read after its link (2). The locks have their own fences, which are
// never left out.
//
// expect sc tso pso relaxed: verified
// expect sc tso, without -1: verified
// expect pso, tests T0, without 1: violated
// expect pso, without 2: verified
// expect relaxed, tests T0, without 1 2: violated
#include <fenceline.h>
#include <stdlib.h>

typedef int value_t;

typedef struct node {
  struct node* next;
  value_t value;
} node_t;

typedef struct {
  node_t* head;
  node_t* tail;
  fl_lock_t head_lock;
  fl_lock_t tail_lock;
} queue_t;

queue_t queue;

void init_queue(queue_t* queue) {
  node_t* node = malloc(sizeof(node_t));
  node->next = 0;
  queue->head = queue->tail = node;
  queue->head_lock.held = 0;
  queue->tail_lock.held = 0;
}

void enqueue(queue_t* queue, value_t value) {
  node_t* node = malloc(sizeof(node_t));
  node->value = value;
  node->next = 0;
  fl_lock(&queue->tail_lock);
  fl_numbered_fence(1, "store-store");
  queue->tail->next = node;
  queue->tail = node;
  fl_unlock(&queue->tail_lock);
}

int dequeue(queue_t* queue, value_t* pvalue) {
  fl_lock(&queue->head_lock);
  node_t* node = queue->head;
  node_t* new_head = node->next;
  if (new_head == 0) {
    fl_unlock(&queue->head_lock);
    return 0;
  }
  fl_numbered_fence(2, "load-load");
  *pvalue = new_head->value;
  queue->head = new_head;
  fl_unlock(&queue->head_lock);
  free(node);
  return 1;
}
