// SPDX-License-Identifier: GPL-3.0-or-later
//
// Stack whose nodes are freed, with one hazard pointer per thread (Michael 2004): a thread announces a node
// before it reads it, and a popped node is freed only if no other thread has announced it; otherwise it stays.
// N threads pop once each from a stack of N nodes.
//
// Asserted: the threads get different values; with --frees, no freed node is used.
#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>

#ifndef N
#define N 2
#endif

struct node {
  int value;
  struct node* next;
};

static _Atomic(struct node*) top;
static _Atomic(struct node*) hazards[N];
static int got[N];

static struct node* pop(int self) {
  struct node* node = atomic_load_explicit(&top, memory_order_relaxed);
  for (;;) {
    if (node == NULL) return NULL;
    atomic_store_explicit(&hazards[self], node, memory_order_release);
    atomic_thread_fence(memory_order_seq_cst);
    struct node* again = atomic_load_explicit(&top, memory_order_acquire);
    if (again == node && atomic_compare_exchange_strong_explicit(&top, &again, node->next,
                                                                 memory_order_relaxed, memory_order_relaxed))
      return node;
    node = again;
  }
}

static void retire(int self, struct node* node) {
  atomic_store_explicit(&hazards[self], NULL, memory_order_release);
  atomic_thread_fence(memory_order_seq_cst);
  for (int i = 0; i < N; i++)
    if (i != self && atomic_load_explicit(&hazards[i], memory_order_acquire) == node) return;
  free(node);
}

static void* worker(void* argument) {
  const int self = (int)(intptr_t)argument;
  struct node* node = pop(self);
  got[self] = node->value;
  retire(self, node);
  return NULL;
}

int main(void) {
  for (int i = 0; i < N; i++) {
    struct node* node = malloc(sizeof(struct node));
    node->value = i + 1;
    node->next = atomic_load_explicit(&top, memory_order_relaxed);
    atomic_store_explicit(&top, node, memory_order_relaxed);
  }
  pthread_t threads[N];
  for (int i = 0; i < N; i++) pthread_create(&threads[i], NULL, worker, (void*)(intptr_t)i);
  for (int i = 0; i < N; i++) pthread_join(threads[i], NULL);
  for (int i = 0; i < N; i++)
    for (int j = 0; j < i; j++) assert(got[i] != got[j]);
  return 0;
}
