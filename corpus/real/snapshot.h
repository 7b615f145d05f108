// SPDX-License-Identifier: GPL-3.0-or-later
//
// Sequence locks: a writer changes two words, and what a reader accepts is a consistent snapshot. The words are
// relaxed atomics, since a reader may see them while they change. Included after init(), write_begin(), write_end(),
// unsigned read_begin() and bool read_retry(unsigned). A reader that has to begin again gives up.
#ifndef FENCELINE_REAL_SNAPSHOT_H
#define FENCELINE_REAL_SNAPSHOT_H
#include <stdatomic.h>

#include "threads.h"

static atomic_int left, right;

static void* writer(void* unused) {
  (void)unused;
  write_begin();
  atomic_store_explicit(&left, 1, memory_order_relaxed);
  atomic_store_explicit(&right, 1, memory_order_relaxed);
  write_end();
  return 0;
}

static void* reader(void* unused) {
  (void)unused;
  unsigned version = read_begin();
  int seen_left = atomic_load_explicit(&left, memory_order_relaxed);
  int seen_right = atomic_load_explicit(&right, memory_order_relaxed);
  if (!read_retry(version)) assert(seen_left == seen_right);
  return 0;
}

int main(void) {
  init();
  run_threads(writer, reader);
  assert(left == 1 && right == 1);
}

#endif
