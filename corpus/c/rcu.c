// SPDX-License-Identifier: GPL-3.0-or-later
//
// Read-copy-update of a list of two nodes: the updater replaces the first node by a changed copy, waits until
// the reader is out, and frees the old one. The reader takes no lock; it says when it is reading and when it
// no longer is.
//
// The copy is complete when it is published (1) and read after the link to it (2; this would be a consume).
// Reader and updater each say what they do before they look what the other does (3, 5): both or neither. The
// reader's last use comes before it says that it is out (4), and the updater frees after it has seen that
// (6). On TSO only 3 and 5 do anything. On PSO the copy may be late.
//
// expect sc tso rc11, property use-after-free: verified
// expect pso relaxed, property use-after-free: verified
// expect relaxed, weaken 1 2: violated
// expect relaxed, property use-after-free, weaken 3 5: violated
// expect sc, property use-after-free, weaken -1: verified
// expect tso, property use-after-free, weaken 3 5: violated
// expect tso, property use-after-free, weaken 1 2 4 6: verified
// expect rc11, weaken 1 2: violated
// expect rc11, property use-after-free, weaken 3 5: violated
// expect rc11, property use-after-free, weaken 4 6: violated ?
#include <fenceline.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>

typedef struct node {
  int value, twice;  // `twice` is twice the value
  struct node* next;
} node_t;

_Atomic(node_t*) list;
_Atomic int reading;

static node_t* new_node(int value, node_t* next) {
  node_t* node = malloc(sizeof(node_t));
  node->value = value;
  node->twice = 2 * value;
  node->next = next;
  return node;
}

static void* reader(void* unused) {
  (void)unused;
  atomic_store_explicit(&reading, 1, memory_order_relaxed);
  atomic_thread_fence(fl_order(3, memory_order_seq_cst));
  node_t* first = atomic_load_explicit(&list, fl_order(2, memory_order_acquire));
  int value = first->value;
  fl_assert(first->twice == 2 * value);
  node_t* second = first->next;
  fl_assert(second->value == 5);
  atomic_store_explicit(&reading, 0, fl_order(4, memory_order_release));
  return NULL;
}

static void* updater(void* unused) {
  (void)unused;
  node_t* old = atomic_load_explicit(&list, memory_order_relaxed);
  node_t* copy = new_node(old->value + 1, old->next);
  atomic_store_explicit(&list, copy, fl_order(1, memory_order_release));
  atomic_thread_fence(fl_order(5, memory_order_seq_cst));
  fl_await(!atomic_load_explicit(&reading, fl_order(6, memory_order_acquire)));
  free(old);
  return NULL;
}

int main(void) {
  atomic_store_explicit(&list, new_node(3, new_node(5, NULL)), memory_order_relaxed);
  pthread_t first, second;
  pthread_create(&first, NULL, reader, NULL);
  pthread_create(&second, NULL, updater, NULL);
  pthread_join(first, NULL);
  pthread_join(second, NULL);
  return 0;
}
