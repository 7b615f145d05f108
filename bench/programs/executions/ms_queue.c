// SPDX-License-Identifier: GPL-3.0-or-later
//
// Non-blocking queue of Michael and Scott. Nodes are not freed, so no address is used twice.
// N threads enqueue a value each; another thread dequeues N times, and gets 0 when it finds the queue empty.
// What is left is dequeued at the end.
//
// Asserted: each value is dequeued once.
#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stddef.h>

#ifndef N
#define N 2
#endif

struct node {
  int value;
  _Atomic(struct node*) next;
};

static struct node nodes[N + 1];  // the first one is the dummy
static _Atomic(struct node*) head = &nodes[0];
static _Atomic(struct node*) tail = &nodes[0];
static int times[N + 1];

static void enqueue(struct node* node, int value) {
  node->value = value;
  atomic_store_explicit(&node->next, NULL, memory_order_relaxed);
  for (;;) {
    struct node* last = atomic_load_explicit(&tail, memory_order_acquire);
    struct node* next = atomic_load_explicit(&last->next, memory_order_acquire);
    if (last != atomic_load_explicit(&tail, memory_order_acquire)) continue;
    if (next != NULL) {
      atomic_compare_exchange_strong_explicit(&tail, &last, next, memory_order_release, memory_order_relaxed);
      continue;
    }
    if (atomic_compare_exchange_strong_explicit(&last->next, &next, node, memory_order_release,
                                                memory_order_relaxed)) {
      atomic_compare_exchange_strong_explicit(&tail, &last, node, memory_order_release, memory_order_relaxed);
      return;
    }
  }
}

static int dequeue(void) {
  for (;;) {
    struct node* first = atomic_load_explicit(&head, memory_order_acquire);
    struct node* last = atomic_load_explicit(&tail, memory_order_acquire);
    struct node* next = atomic_load_explicit(&first->next, memory_order_acquire);
    if (first != atomic_load_explicit(&head, memory_order_acquire)) continue;
    if (first == last) {
      if (next == NULL) return 0;
      atomic_compare_exchange_strong_explicit(&tail, &last, next, memory_order_release, memory_order_relaxed);
      continue;
    }
    const int value = next->value;
    if (atomic_compare_exchange_strong_explicit(&head, &first, next, memory_order_release,
                                                memory_order_relaxed))
      return value;
  }
}

static void* producer(void* argument) {
  struct node* node = argument;
  enqueue(node, (int)(node - nodes));
  return NULL;
}

static void* consumer(void* unused) {
  (void)unused;
  for (int i = 0; i < N; i++) times[dequeue()]++;
  return NULL;
}

int main(void) {
  pthread_t threads[N + 1];
  for (int i = 0; i < N; i++) pthread_create(&threads[i], NULL, producer, &nodes[i + 1]);
  pthread_create(&threads[N], NULL, consumer, NULL);
  for (int i = 0; i <= N; i++) pthread_join(threads[i], NULL);
  for (int i = 0; i < N; i++) times[dequeue()]++;
  for (int i = 1; i <= N; i++) assert(times[i] == 1);
  return 0;
}
