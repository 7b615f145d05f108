// SPDX-License-Identifier: GPL-3.0-or-later
//
// Queues and stacks of pointers to items that are not atomic: no item is lost, none comes twice, and whoever takes
// one sees what was written into it. Included after init(), bool put(int*) and bool take(int**). One of:
//
//  ONE_WAY    one thread puts two items, the other one tries to take two
//  FIFO       the same, and they come in the order in which they were put
//  BOTH_WAYS  each of two threads puts one item and tries to take one
//
// What is left at the end is taken by main. Values are bits, so that a sum says which items there were.
#ifndef FENCELINE_REAL_CONTAINER_H
#define FENCELINE_REAL_CONTAINER_H
#include "threads.h"

static int items[2];
static int seen[2];

static inline void put_item(int number) {
  items[number] = 1 << number;
  bool done = put(&items[number]);
  assert(done);
}

// The item, or 0. `before`: what this thread has seen.
static inline int take_item(int before) {
  int* item;
  if (!take(&item)) return before;
  int value = *item;
  assert(value == 1 || value == 2);
  assert((before & value) == 0);
#ifdef FIFO
  assert(value == 1 || before == 1);
#endif
  return before | value;
}

static inline void first_thread(void) {
  put_item(0);
#ifdef BOTH_WAYS
  seen[0] = take_item(0);
#else
  put_item(1);
#endif
}

static inline void second_thread(void) {
#ifdef BOTH_WAYS
  put_item(1);
  seen[1] = take_item(0);
#else
  seen[1] = take_item(take_item(0));
#endif
}

static inline void check_rest(void) {
  assert((seen[0] & seen[1]) == 0);
  int all = take_item(take_item(seen[0] | seen[1]));
  assert(all == 3);
  int* none;
  assert(!take(&none));
}

#ifdef __cplusplus
int main() {
  init();
  run_threads([] { first_thread(); }, [] { second_thread(); });
  check_rest();
}
#else
static void* run_first(void* unused) {
  (void)unused;
  first_thread();
  return 0;
}

static void* run_second(void* unused) {
  (void)unused;
  second_thread();
  return 0;
}

int main(void) {
  init();
  run_threads(run_first, run_second);
  check_rest();
}
#endif

#endif
