// SPDX-License-Identifier: GPL-3.0-or-later
//
// A sequence lock with C11 atomics (after Boehm, MSPC 2012): the writer makes the number odd, writes, and
// makes it even again; a reader that saw the same even number before and after has read data that belong
// together. One writer writes once, one reader tries once.
//
// The odd number comes before the data (1), the even one after them (2); the reader reads the first number
// before the data (3) and the second one after them (4).
//
// expect sc tso rc11: verified
// expect sc tso, weaken 1 2 3 4: verified
// expect pso relaxed: verified
// expect relaxed, weaken 1 2 3 4: violated
// expect rc11, weaken 1 2 3 4: violated
#include <fenceline.h>
#include <pthread.h>
#include <stdatomic.h>

_Atomic int sequence;
_Atomic int first_half, second_half;

static void* writer(void* unused) {
  (void)unused;
  int number = atomic_load_explicit(&sequence, memory_order_relaxed);
  atomic_store_explicit(&sequence, number + 1, memory_order_relaxed);
  atomic_thread_fence(fl_order(1, memory_order_release));
  atomic_store_explicit(&first_half, 1, memory_order_relaxed);
  atomic_store_explicit(&second_half, 1, memory_order_relaxed);
  atomic_store_explicit(&sequence, number + 2, fl_order(2, memory_order_release));
  return NULL;
}

static void* reader(void* unused) {
  (void)unused;
  int before = atomic_load_explicit(&sequence, fl_order(3, memory_order_acquire));
  int one = atomic_load_explicit(&first_half, memory_order_relaxed);
  int two = atomic_load_explicit(&second_half, memory_order_relaxed);
  atomic_thread_fence(fl_order(4, memory_order_acquire));
  int after = atomic_load_explicit(&sequence, memory_order_relaxed);
  if (before == after && before % 2 == 0) fl_assert(one == two);
  return NULL;
}

int main(void) {
  pthread_t first, second;
  pthread_create(&first, NULL, writer, NULL);
  pthread_create(&second, NULL, reader, NULL);
  pthread_join(first, NULL);
  pthread_join(second, NULL);
  return 0;
}
