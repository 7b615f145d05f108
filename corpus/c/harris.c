// SPDX-License-Identifier: GPL-3.0-or-later
//
// The non-blocking list-based set of Harris (DISC 2001). A sorted list; the low bit of a node's link says
// that the node is removed, which takes one compare-and-swap, and another one takes it out of the list. Who
// comes by a removed node takes it out too. With arguments 0 and 1 the keys of the two ends are -1 and 2.
//
// Fences: a new node is complete before it is linked (1); a node is read after the link that led to it, at
// the first step (2) and at the others (3); a node is marked before it is taken out (4), or what comes behind
// it could be seen by others before who put it there is done. The tests of the paper have at most two nodes
// that are not there from the start, each added by another thread, and show neither 3 nor 4; Saacr does.
//
// expect sc tso pso relaxed: verified
// expect sc tso, without -1: verified
// expect pso, tests Sac, without 1: violated
// expect pso, without 2 3: verified
// expect relaxed, tests Sac, without 1 2: violated
// expect relaxed, tests Saacr, without 3 4: violated
// expect relaxed, tests Sac Sar Saa, without 3: verified ?
#include <fenceline.h>
#include <stdint.h>
#include <stdlib.h>

typedef struct node {
  int key;
  struct node* next;  // its low bit is set if this node is removed
} node_t;

typedef struct {
  node_t* head;
  node_t* tail;
} set_t;

set_t set;

static int is_marked(node_t* link) { return (int)((uintptr_t)link & 1); }
static node_t* marked(node_t* link) { return (node_t*)((uintptr_t)link | 1); }
static node_t* unmarked(node_t* link) { return (node_t*)((uintptr_t)link & ~(uintptr_t)1); }

static node_t* new_node(int key, node_t* next) {
  node_t* node = malloc(sizeof(node_t));
  node->key = key;
  node->next = next;
  return node;
}

void init_set(set_t* set) {
  set->tail = new_node(2, 0);
  set->head = new_node(-1, set->tail);
}

// The node at or behind the place of `key`, and the one before it in `left_node`. They were neighbours and
// not removed at some time.
static node_t* search(set_t* set, int key, node_t** left_node) {
  node_t* tail = set->tail;
  while (1) {
    node_t* left = set->head;
    node_t* left_next = 0;
    node_t* t = set->head;
    node_t* t_next = t->next;
    fl_numbered_fence(2, "load-load");

    // Find both.
    do {
      if (!is_marked(t_next)) {
        left = t;
        left_next = t_next;
      }
      t = unmarked(t_next);
      if (t == tail) break;
      t_next = t->next;
      fl_numbered_fence(3, "load-load");
    } while (is_marked(t_next) || t->key < key);
    node_t* right = t;

    // If nodes are between them, all are removed: take them out.
    if (left_next == right || fl_cas(&left->next, left_next, right)) {
      if (right == tail || !is_marked(right->next)) {
        *left_node = left;
        return right;
      }
    }
    fl_retry();
  }
}

int add(set_t* set, int key) {
  node_t* node = malloc(sizeof(node_t));
  node->key = key;
  while (1) {
    node_t* left;
    node_t* right = search(set, key, &left);
    if (right != set->tail && right->key == key) return 0;
    node->next = right;
    fl_numbered_fence(1, "store-store");
    if (fl_cas(&left->next, right, node)) return 1;
    fl_retry();
  }
}

int remove_key(set_t* set, int key) {
  node_t *left, *right, *right_next;
  while (1) {
    right = search(set, key, &left);
    if (right == set->tail || right->key != key) return 0;
    right_next = right->next;
    if (!is_marked(right_next) && fl_cas(&right->next, right_next, marked(right_next))) break;
    fl_retry();
  }
  fl_numbered_fence(4, "store-store");
  if (!fl_cas(&left->next, right, right_next)) search(set, key, &left);
  return 1;
}

int contains(set_t* set, int key) {
  node_t* left;
  node_t* right = search(set, key, &left);
  return right != set->tail && right->key == key;
}
