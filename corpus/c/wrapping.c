// SPDX-License-Identifier: GPL-3.0-or-later
//
// Atomic arithmetic wraps, of signed types too (C17 7.17.7.5): INT_MAX + 1 is INT_MIN, 255 + 1 is 0 in an
// unsigned byte, 0 - 1 is the largest unsigned number. Two threads add to each counter, so that the order of
// the two does not matter and every value in between is seen by one of them only.
//
// With WRONG a value is asserted that a counter would have without a size. With WIDE there is a counter of 64
// bits too, which the sat engine does not know: other engines decide that.
//
// expect sc tso pso relaxed rc11 armv8: verified
// expect sc tso rc11, define WRONG: violated
// expect sc tso pso rc11, define WIDE: verified
#include <fenceline.h>
#include <limits.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdint.h>

_Atomic int most = INT_MAX;
_Atomic uint8_t byte = 254;
_Atomic unsigned none = 1;
_Atomic int16_t both_ways = INT16_MIN;
#ifdef WIDE
_Atomic long wide = LONG_MAX;
#endif

static void *add(void *unused) {
  (void)unused;
  int before = atomic_fetch_add(&most, 1);
  fl_assert(before == INT_MAX || before == INT_MIN);
  uint8_t old = atomic_fetch_add_explicit(&byte, 1, memory_order_relaxed);
  fl_assert(old >= 254);
  unsigned left = atomic_fetch_sub(&none, 1);
  fl_assert(left <= 1);
  atomic_fetch_sub(&both_ways, 1);
#ifdef WIDE
  atomic_fetch_add(&wide, 1);
#endif
  return 0;
}

int main(void) {
  pthread_t other;
  pthread_create(&other, 0, add, 0);
  add(0);
  pthread_join(other, 0);
#ifdef WRONG
  fl_assert(byte != 0);
#else
  fl_assert(most == INT_MIN + 1);
  fl_assert(byte == 0);
  fl_assert(none == UINT_MAX);
  fl_assert(both_ways == INT16_MAX - 1);
#endif
#ifdef WIDE
  fl_assert(wide == LONG_MIN + 1);
#endif
  return 0;
}
