// SPDX-License-Identifier: GPL-3.0-or-later
//
// Work-stealing deque of Chase and Lev with the C11 orders of Le, Pop, Cohen and Zappa Nardelli (2013), of fixed
// size. The owner pushes two items and takes twice; N thieves steal once each.
//
// Asserted: each item is got once, by the owner or by a thief.
#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stddef.h>

#ifndef N
#define N 2
#endif

enum { kItems = 2, kNothing = 0 };

static atomic_int top, bottom;
static atomic_int buffer[kItems];
static int taken[kItems], stolen[N];

static void push(int item) {
  const int b = atomic_load_explicit(&bottom, memory_order_relaxed);
  const int t = atomic_load_explicit(&top, memory_order_acquire);
  assert(b - t < kItems);
  atomic_store_explicit(&buffer[b % kItems], item, memory_order_relaxed);
  atomic_thread_fence(memory_order_release);
  atomic_store_explicit(&bottom, b + 1, memory_order_relaxed);
}

static int take(void) {
  const int b = atomic_load_explicit(&bottom, memory_order_relaxed) - 1;
  atomic_store_explicit(&bottom, b, memory_order_relaxed);
  atomic_thread_fence(memory_order_seq_cst);
  int t = atomic_load_explicit(&top, memory_order_relaxed);
  if (t > b) {
    atomic_store_explicit(&bottom, b + 1, memory_order_relaxed);
    return kNothing;
  }
  int item = atomic_load_explicit(&buffer[b % kItems], memory_order_relaxed);
  if (t == b) {
    if (!atomic_compare_exchange_strong_explicit(&top, &t, t + 1, memory_order_seq_cst, memory_order_relaxed))
      item = kNothing;
    atomic_store_explicit(&bottom, b + 1, memory_order_relaxed);
  }
  return item;
}

static int steal(void) {
  int t = atomic_load_explicit(&top, memory_order_acquire);
  atomic_thread_fence(memory_order_seq_cst);
  const int b = atomic_load_explicit(&bottom, memory_order_acquire);
  if (t >= b) return kNothing;
  const int item = atomic_load_explicit(&buffer[t % kItems], memory_order_relaxed);
  if (!atomic_compare_exchange_strong_explicit(&top, &t, t + 1, memory_order_seq_cst, memory_order_relaxed))
    return kNothing;
  return item;
}

static void* owner(void* unused) {
  (void)unused;
  for (int i = 0; i < kItems; i++) push(i + 1);
  for (int i = 0; i < kItems; i++) taken[i] = take();
  return NULL;
}

static void* thief(void* argument) {
  *(int*)argument = steal();
  return NULL;
}

int main(void) {
  pthread_t threads[N + 1];
  pthread_create(&threads[N], NULL, owner, NULL);
  for (int i = 0; i < N; i++) pthread_create(&threads[i], NULL, thief, &stolen[i]);
  for (int i = 0; i <= N; i++) pthread_join(threads[i], NULL);
  for (int item = 1; item <= kItems; item++) {
    int times = 0;
    for (int i = 0; i < kItems; i++) times += taken[i] == item;
    for (int i = 0; i < N; i++) times += stolen[i] == item;
    assert(times == 1);
  }
  return 0;
}
