// SPDX-License-Identifier: GPL-3.0-or-later
//
// A lock for one writer or several readers: a writer changes two variables that are not atomic, and a reader
// sees both or neither. Included after init_lock(), read_lock(), read_unlock(), write_lock() and write_unlock().
#ifndef FENCELINE_REAL_READERS_WRITER_H
#define FENCELINE_REAL_READERS_WRITER_H
#include "threads.h"

static int left, right;

static inline void write_both(void) {
  write_lock();
  left = left + 1;
  right = right + 1;
  write_unlock();
}

static inline void read_both(void) {
  read_lock();
  int seen_left = left;
  int seen_right = right;
  read_unlock();
  assert(seen_left == seen_right);
}

#ifdef __cplusplus
int main() {
  init_lock();
  run_threads([] { write_both(); }, [] { read_both(); });
  assert(left == 1 && right == 1);
}
#else
static void* writer(void* unused) {
  (void)unused;
  write_both();
  return 0;
}

static void* reader(void* unused) {
  (void)unused;
  read_both();
  return 0;
}

int main(void) {
  init_lock();
  run_threads(writer, reader);
  assert(left == 1 && right == 1);
}
#endif

#endif
