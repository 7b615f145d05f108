// SPDX-License-Identifier: GPL-3.0-or-later
//
// A stack whose nodes are given back, with one hazard pointer per thread (Michael, 2004): who pops announces
// the node before it looks into it, and a popped node is freed only if the other thread has not announced it;
// otherwise it is left alone for ever. Two threads pop one node each from a stack of two. The property is
// that no freed node is used; nodes are not freed twice either, and the threads get different values.
//
// The announcement comes before the second look at the top (1), and the top moves before the announcements
// are read (5): both or neither. A machine's compare-and-exchange does the work of 5 on TSO and PSO. The node
// is read after the second look (2), which has nothing to do here, since no thread pushes while others pop. The
// last use of a node comes before its announcement is withdrawn (3), and what was withdrawn is read before
// the node is freed (4).
//
// On Relaxed no violation is found, but the loop stores in each iteration, and loads in it are not ordered
// with later stores: executions in which such a store causes further iterations are not looked for
// (docs/engine-sat.md).
//
// expect sc tso pso rc11, property use-after-free: verified
// expect relaxed, property use-after-free: unknown
// expect relaxed, property use-after-free, weaken 1 5: violated
// expect sc, property use-after-free, weaken -1: verified
// expect tso pso, property use-after-free, weaken 1: violated
// expect tso pso, property use-after-free, weaken 2 3 4 5: verified
// expect rc11, property use-after-free, weaken 1 5: violated
// expect rc11, property use-after-free, weaken 2: verified ?
// expect rc11, property use-after-free, weaken 3 4: violated ?
#include <fenceline.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>

typedef struct node {
  int value;
  struct node* next;
} node_t;

_Atomic(node_t*) top;
_Atomic(node_t*) hazard[2];

int got[2];

// Before the threads start.
static void put(int value) {
  node_t* node = malloc(sizeof(node_t));
  node->value = value;
  node->next = atomic_load_explicit(&top, memory_order_relaxed);
  atomic_store_explicit(&top, node, memory_order_relaxed);
}

static int pop(int me) {
  node_t* node;
  while (1) {
    node = atomic_load_explicit(&top, memory_order_relaxed);
    if (node == NULL) return 0;
    atomic_store_explicit(&hazard[me], node, fl_order(3, memory_order_release));
    atomic_thread_fence(fl_order(1, memory_order_seq_cst));
    if (atomic_load_explicit(&top, fl_order(2, memory_order_acquire)) == node) {
      node_t* next = node->next;
      node_t* expected = node;
      if (atomic_compare_exchange_strong_explicit(&top, &expected, next, memory_order_relaxed,
                                                  memory_order_relaxed))
        break;
    }
    fl_retry();
  }
  int value = node->value;
  atomic_store_explicit(&hazard[me], NULL, memory_order_relaxed);
  atomic_thread_fence(fl_order(5, memory_order_seq_cst));
  if (atomic_load_explicit(&hazard[1 - me], fl_order(4, memory_order_acquire)) != node) free(node);
  return value;
}

static void* first_thread(void* unused) {
  (void)unused;
  got[0] = pop(0);
  return NULL;
}

static void* second_thread(void* unused) {
  (void)unused;
  got[1] = pop(1);
  return NULL;
}

int main(void) {
  put(1);
  put(2);
  pthread_t first, second;
  pthread_create(&first, NULL, first_thread, NULL);
  pthread_create(&second, NULL, second_thread, NULL);
  pthread_join(first, NULL);
  pthread_join(second, NULL);
  fl_assert(got[0] + got[1] == 3);
  return 0;
}
