// SPDX-License-Identifier: GPL-3.0-or-later
//
// The lazy list-based set of Heller, Herlihy, Luchangco, Moir, Scherer and Shavit (OPODIS 2005), in the form
// of Colvin, Groves, Luchangco and Moir (CAV 2006). A sorted list; who adds or removes finds the place
// without a lock, locks two nodes and looks again; a node is marked before it is taken out, so that
// `contains` needs no lock.
//
// The printed pseudo-code does not initialise the mark of a new node: -DPUBLISHED does what it says. With
// arguments 0 and 1 the keys of the two ends are -1 and 2.
//
// Fences: a new node is complete before it is linked (1); it is marked before it is taken out (2); a node is
// read after the link that led to it, at the first step (3) and at the others (4) of the search, and in
// `contains` (5). Presumably no test shows whether 2 is there: a test distinguishes orders of operations
// only, and a thread that must not see the unmarked node any more has also seen the link change.
//
// expect sc tso pso relaxed, tests Sac Sar Sacr Saa Saacr S1: verified
// expect sc tso pso relaxed: verified slow
// expect sc tso, tests Sac Sar Sacr Saa, without -1: verified
// expect sc tso, without -1: verified slow
// expect sc tso pso relaxed, tests Sac S1, define PUBLISHED: violated
// expect pso, tests Sac, without 1: violated
// expect pso, tests Sac Sar Saa, without 3 4 5: verified
// expect pso, without 3 4 5: verified slow
// expect pso relaxed, tests Sac Sar Saa, without 2: verified
// expect pso relaxed, without 2: verified ? slow
// expect relaxed, tests Sac, without 1 5: violated
// expect relaxed, tests Sar Saa, without 3: violated
// expect relaxed, tests Saacr, without 4: violated
// expect relaxed, tests S1, without 1 3 4 5: violated
#include <fenceline.h>
#include <stdlib.h>

typedef struct node {
  int key;
  struct node* next;
  int marked;
  fl_lock_t lock;
} node_t;

typedef struct {
  node_t* head;
} set_t;

set_t set;

static node_t* new_node(int key, node_t* next) {
  node_t* node = malloc(sizeof(node_t));
  node->key = key;
  node->next = next;
#ifndef PUBLISHED
  node->marked = 0;
#endif
  node->lock.held = 0;
  return node;
}

void init_set(set_t* set) {
  node_t* tail = new_node(2, 0);
  node_t* head = new_node(-1, tail);
  tail->marked = 0;
  head->marked = 0;
  set->head = head;
}

// The node before the place of `key` and the one at or behind it, both locked and both in the list.
static node_t* locate(set_t* set, int key, node_t** found) {
  while (1) {
    node_t* pred = set->head;
    node_t* curr = pred->next;
    fl_numbered_fence(3, "load-load");
    while (curr->key < key) {
      pred = curr;
      curr = pred->next;
      fl_numbered_fence(4, "load-load");
    }
    fl_lock(&pred->lock);
    fl_lock(&curr->lock);
    if (!pred->marked && !curr->marked && pred->next == curr) {
      *found = curr;
      return pred;
    }
    fl_unlock(&curr->lock);
    fl_unlock(&pred->lock);
    fl_retry();
  }
}

int add(set_t* set, int key) {
  int added = 0;
  node_t* curr;
  node_t* pred = locate(set, key, &curr);
  if (curr->key != key) {
    node_t* node = new_node(key, curr);
    fl_numbered_fence(1, "store-store");
    pred->next = node;
    added = 1;
  }
  fl_unlock(&curr->lock);
  fl_unlock(&pred->lock);
  return added;
}

int remove_key(set_t* set, int key) {
  int removed = 0;
  node_t* curr;
  node_t* pred = locate(set, key, &curr);
  if (curr->key == key) {
    curr->marked = 1;
    fl_numbered_fence(2, "store-store");
    pred->next = curr->next;
    removed = 1;
  }
  fl_unlock(&curr->lock);
  fl_unlock(&pred->lock);
  return removed;
}

int contains(set_t* set, int key) {
  node_t* curr = set->head;
  while (curr->key < key) {
    curr = curr->next;
    fl_numbered_fence(5, "load-load");
  }
  return curr->key == key && !curr->marked;
}
