// SPDX-License-Identifier: GPL-3.0-or-later
//
// The "snark" deque of Detlefs, Flood, Garthwaite, Martin, Shavit and Steele (DISC 2000), as published: a
// doubly-linked list whose ends are moved with a double compare-and-swap. A node that was popped points to
// itself on the side that its neighbour was on. The optional clearing of popped values is left out.
//
// It has two bugs, which Doherty and others published in 2004: `pop_right` may say that the deque is empty
// while it never is, and two pops may return the same node. The first shows in D0, the second in Dq, both
// without any reordering. Tests Da, Db and Dm do not show them.
//
// Fences: a node is complete before it is pushed, onto an empty deque (2, 5) and onto another (3, 6); the end
// is read before the node to which it points (1, 4). A pop reads both ends before the node (8, 10), or it
// takes a node that is gone. The authors call the order of the two ends delicate too (7, 9); we have seen no
// test fail without it.
//
// expect sc tso pso relaxed, tests D0 Dq: violated
// expect sc tso pso, tests Da Db Dm: verified
// expect relaxed, tests Da Db Dm: verified ?
// expect sc tso, tests Da Db Dm, without -1: verified
// expect pso, tests Db, without 2 3 5 6: violated
// expect relaxed, tests Db, without 1 2 3 4 5 6: violated
// expect relaxed, tests Da, without 8 10: violated
// expect relaxed, tests Da Db, without 7 9: verified ?
// expect relaxed, tests Da Db, without -1: violated
#include <fenceline.h>
#include <stdlib.h>

typedef int value_t;

typedef struct node {
  struct node* L;
  struct node* R;
  value_t V;
} node_t;

typedef struct {
  node_t* left_hat;
  node_t* right_hat;
  node_t* dummy;
} deque_t;

deque_t deque;

void init_deque(deque_t* deque) {
  node_t* dummy = malloc(sizeof(node_t));
  dummy->L = dummy->R = dummy;
  dummy->V = 0;
  deque->dummy = dummy;
  deque->left_hat = deque->right_hat = dummy;
}

void push_right(deque_t* deque, value_t value) {
  node_t* dummy = deque->dummy;
  node_t* nd = malloc(sizeof(node_t));
  nd->R = dummy;
  nd->V = value;
  while (1) {
    node_t* rh = deque->right_hat;
    fl_numbered_fence(1, "load-load");
    node_t* rhR = rh->R;
    if (rhR == rh) {
      nd->L = dummy;
      node_t* lh = deque->left_hat;
      fl_numbered_fence(2, "store-store");
      if (fl_dcas(&deque->right_hat, &deque->left_hat, rh, lh, nd, nd)) return;
    } else {
      nd->L = rh;
      fl_numbered_fence(3, "store-store");
      if (fl_dcas(&deque->right_hat, &rh->R, rh, rhR, nd, nd)) return;
    }
    fl_retry();
  }
}

void push_left(deque_t* deque, value_t value) {
  node_t* dummy = deque->dummy;
  node_t* nd = malloc(sizeof(node_t));
  nd->L = dummy;
  nd->V = value;
  while (1) {
    node_t* lh = deque->left_hat;
    fl_numbered_fence(4, "load-load");
    node_t* lhL = lh->L;
    if (lhL == lh) {
      nd->R = dummy;
      node_t* rh = deque->right_hat;
      fl_numbered_fence(5, "store-store");
      if (fl_dcas(&deque->left_hat, &deque->right_hat, lh, rh, nd, nd)) return;
    } else {
      nd->R = lh;
      fl_numbered_fence(6, "store-store");
      if (fl_dcas(&deque->left_hat, &lh->L, lh, lhL, nd, nd)) return;
    }
    fl_retry();
  }
}

int pop_right(deque_t* deque, value_t* pvalue) {
  node_t* dummy = deque->dummy;
  while (1) {
    node_t* rh = deque->right_hat;
    fl_numbered_fence(7, "load-load");
    node_t* lh = deque->left_hat;
    fl_numbered_fence(8, "load-load");
    if (rh->R == rh) return 0;
    if (rh == lh) {
      if (fl_dcas(&deque->right_hat, &deque->left_hat, rh, lh, dummy, dummy)) {
        *pvalue = rh->V;
        return 1;
      }
    } else {
      node_t* rhL = rh->L;
      if (fl_dcas(&deque->right_hat, &rh->L, rh, rhL, rhL, rh)) {
        *pvalue = rh->V;
        rh->R = dummy;
        return 1;
      }
    }
    fl_retry();
  }
}

int pop_left(deque_t* deque, value_t* pvalue) {
  node_t* dummy = deque->dummy;
  while (1) {
    node_t* lh = deque->left_hat;
    fl_numbered_fence(9, "load-load");
    node_t* rh = deque->right_hat;
    fl_numbered_fence(10, "load-load");
    if (lh->L == lh) return 0;
    if (lh == rh) {
      if (fl_dcas(&deque->left_hat, &deque->right_hat, lh, rh, dummy, dummy)) {
        *pvalue = lh->V;
        return 1;
      }
    } else {
      node_t* lhR = lh->R;
      if (fl_dcas(&deque->left_hat, &lh->R, lh, lhR, lhR, lh)) {
        *pvalue = lh->V;
        lh->L = dummy;
        return 1;
      }
    }
    fl_retry();
  }
}
