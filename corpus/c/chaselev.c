// SPDX-License-Identifier: GPL-3.0-or-later
//
// The work-stealing deque of Chase and Lev with the C11 orders of Le, Pop, Cohen and Zappa Nardelli (PPoPP
// 2013), of fixed size: the owner pushes two items and takes twice, a thief steals twice. No thread gets an item
// twice or gets an item that was not written, and at the end each item was got.
//
// The owner announces what it takes before it looks at the top (1), and the thief looks at the top before it
// looks at the bottom (6): one without the other does not help. On TSO and PSO the thief's own
// compare-and-exchange does the work of 6. The item is written before the bottom moves (4) and read after the
// bottom was (7). The others make no difference here: both kinds of compare-and-exchange (2, 8) only have to
// be atomic, the fence 6 acquires what 5 does, and what 3 protects is an item that is read and overwritten,
// for which the reader would have to read the future.
//
// expect sc tso pso rc11: verified
// expect relaxed: verified
// expect relaxed, weaken 1 4 7: violated
// expect relaxed, weaken 6: verified
// expect sc, weaken -1: verified
// expect tso pso, weaken 1: violated
// expect tso pso, weaken 2 3 5 6 7 8: verified
// expect tso, weaken 4: verified
// expect pso, weaken 4: violated
// expect rc11, weaken 1 4 6 7: violated
// expect rc11, weaken 3 5: verified
// expect rc11, weaken 2 8: verified ?
#include <fenceline.h>
#include <pthread.h>
#include <stdatomic.h>

enum { kSize = 2, kNothing = 0, kItems = 2 };

_Atomic int top, bottom;
_Atomic int buffer[kSize];

int taken[kItems], stolen[kItems];  // what each iteration brought; items are numbered from 1

static void push(int item) {
  int b = atomic_load_explicit(&bottom, memory_order_relaxed);
  int t = atomic_load_explicit(&top, fl_order(3, memory_order_acquire));
  fl_assert(b - t < kSize);
  atomic_store_explicit(&buffer[b % kSize], item, memory_order_relaxed);
  atomic_thread_fence(fl_order(4, memory_order_release));
  atomic_store_explicit(&bottom, b + 1, memory_order_relaxed);
}

static int take(void) {
  int b = atomic_load_explicit(&bottom, memory_order_relaxed) - 1;
  atomic_store_explicit(&bottom, b, memory_order_relaxed);
  atomic_thread_fence(fl_order(1, memory_order_seq_cst));
  int t = atomic_load_explicit(&top, memory_order_relaxed);
  if (t > b) {
    atomic_store_explicit(&bottom, b + 1, memory_order_relaxed);
    return kNothing;
  }
  int item = atomic_load_explicit(&buffer[b % kSize], memory_order_relaxed);
  if (t == b) {
    if (!atomic_compare_exchange_strong_explicit(&top, &t, t + 1, fl_order(2, memory_order_seq_cst),
                                                 memory_order_relaxed))
      item = kNothing;
    atomic_store_explicit(&bottom, b + 1, memory_order_relaxed);
  }
  return item;
}

// kNothing also if the item was lost to another thread.
static int steal(void) {
  int t = atomic_load_explicit(&top, fl_order(5, memory_order_acquire));
  atomic_thread_fence(fl_order(6, memory_order_seq_cst));
  int b = atomic_load_explicit(&bottom, fl_order(7, memory_order_acquire));
  if (t >= b) return kNothing;
  int item = atomic_load_explicit(&buffer[t % kSize], memory_order_relaxed);
  if (!atomic_compare_exchange_strong_explicit(&top, &t, t + 1, fl_order(8, memory_order_seq_cst),
                                               memory_order_relaxed))
    return kNothing;
  fl_assert(item != kNothing);
  return item;
}

static void* owner(void* unused) {
  (void)unused;
  push(1);
  push(2);
  taken[0] = take();
  taken[1] = take();
  return NULL;
}

static void* thief(void* unused) {
  (void)unused;
  stolen[0] = steal();
  stolen[1] = steal();
  return NULL;
}

int main(void) {
  pthread_t first, second;
  pthread_create(&first, NULL, owner, NULL);
  pthread_create(&second, NULL, thief, NULL);
  pthread_join(first, NULL);
  pthread_join(second, NULL);
  for (int item = 1; item <= kItems; item++) {
    int got = (taken[0] == item) + (taken[1] == item) + (stolen[0] == item) + (stolen[1] == item);
    fl_assert(got == 1);
  }
  return 0;
}
