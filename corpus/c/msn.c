// SPDX-License-Identifier: GPL-3.0-or-later
//
// The non-blocking queue of Michael and Scott (PODC 1996) with the seven fences that Burckhardt, Alur and
// Martin found it to need (CheckFence, PLDI 2007, Figure 9, in the order of its lines: 29, 32, 34, 44, 53,
// 55, 57). The counters beside the pointers are left out as there. The value is handed out only when the head
// was moved, so that an empty queue hands out nothing.
//
// All seven are necessary on `relaxed`. On PSO only the stores to a fresh node can be late: each
// compare-and-swap is made at once, and loads are made in order.
//
// expect sc tso pso relaxed, tests T0 T1 Tpc2 Tpc3 Ti2 Ti3 T53: verified
// expect sc tso pso relaxed: verified slow
// expect sc tso, tests T0 T1 Tpc2 Ti2, without -1: verified
// expect sc tso, without -1: verified slow
// expect pso, tests T1, without 1: violated
// expect pso, tests T0, without 1: violated
// expect pso, tests T0 Tpc2 Ti2, without 2 3 4 5 6 7: verified
// expect pso, without 2 3 4 5 6 7: verified slow
// expect relaxed, tests T1, without 1 2 3 4 5 6 7: violated
// expect relaxed, tests T0, without 1: violated
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
} queue_t;

queue_t queue;

void init_queue(queue_t* queue) {
  node_t* node = malloc(sizeof(node_t));
  node->next = 0;
  queue->head = queue->tail = node;
}

void enqueue(queue_t* queue, value_t value) {
  node_t *tail, *next;
  node_t* node = malloc(sizeof(node_t));
  node->value = value;
  node->next = 0;
  fl_numbered_fence(1, "store-store");
  while (1) {
    tail = queue->tail;
    fl_numbered_fence(2, "load-load");
    next = tail->next;
    fl_numbered_fence(3, "load-load");
    if (tail == queue->tail) {
      if (next == 0) {
        if (fl_cas(&tail->next, next, node)) break;
      } else {
        fl_cas(&queue->tail, tail, next);
      }
    }
    fl_retry();
  }
  fl_numbered_fence(4, "store-store");
  fl_cas(&queue->tail, tail, node);
}

int dequeue(queue_t* queue, value_t* pvalue) {
  node_t *head, *tail, *next;
  while (1) {
    head = queue->head;
    fl_numbered_fence(5, "load-load");
    tail = queue->tail;
    fl_numbered_fence(6, "load-load");
    next = head->next;
    fl_numbered_fence(7, "load-load");
    if (head == queue->head) {
      if (head == tail) {
        if (next == 0) return 0;
        fl_cas(&queue->tail, tail, next);
      } else {
        value_t value = next->value;
        if (fl_cas(&queue->head, head, next)) {
          *pvalue = value;
          break;
        }
      }
    }
    fl_retry();
  }
  free(head);
  return 1;
}
