// SPDX-License-Identifier: GPL-3.0-or-later
//
// Treiber's stack. Nodes are not freed, so no address is used twice.
// N threads push a value each; another thread pops N times, and gets 0 when it finds the stack empty. What is
// left is popped at the end.
//
// Asserted: each value is popped once.
#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stddef.h>

#ifndef N
#define N 2
#endif

struct node {
  int value;
  struct node* next;
};

static struct node nodes[N + 1];  // the first one is not used
static _Atomic(struct node*) top;
static int times[N + 1];

static void push(struct node* node, int value) {
  node->value = value;
  struct node* old = atomic_load_explicit(&top, memory_order_relaxed);
  do {
    node->next = old;
  } while (
      !atomic_compare_exchange_strong_explicit(&top, &old, node, memory_order_release, memory_order_relaxed));
}

static int pop(void) {
  struct node* old = atomic_load_explicit(&top, memory_order_acquire);
  while (old != NULL && !atomic_compare_exchange_strong_explicit(&top, &old, old->next, memory_order_relaxed,
                                                                 memory_order_acquire)) {
  }
  return old == NULL ? 0 : old->value;
}

static void* pusher(void* argument) {
  struct node* node = argument;
  push(node, (int)(node - nodes));
  return NULL;
}

static void* popper(void* unused) {
  (void)unused;
  for (int i = 0; i < N; i++) times[pop()]++;
  return NULL;
}

int main(void) {
  pthread_t threads[N + 1];
  for (int i = 0; i < N; i++) pthread_create(&threads[i], NULL, pusher, &nodes[i + 1]);
  pthread_create(&threads[N], NULL, popper, NULL);
  for (int i = 0; i <= N; i++) pthread_join(threads[i], NULL);
  for (int i = 0; i < N; i++) times[pop()]++;
  for (int i = 1; i <= N; i++) assert(times[i] == 1);
  return 0;
}
