// SPDX-License-Identifier: GPL-3.0-or-later
//
// Iterations of a loop that waits leave nothing behind, but what they access counts: it may race, or be an
// error. A reader waits for a flag; in each iteration in which the flag is not set it does something with what
// the writer is preparing.
//
// What it does is chosen by a define. Without one it does nothing, and reads the data behind the loop.
//  RACES      it reads the data in the loop.
//  NESTED     it does that in a loop inside, which waits too.
//  LATER      as RACES, but no thread writes until the reader is out of the loop. Its store says so without an
//             order (1), so the iteration still races with the writer.
//  BOTH       two threads wait like this for each other, and one of the data is written in such an iteration.
//  RETRIES    it waits by compare-and-exchange, and reads the data when that fails.
//  EXCHANGES  it waits by an exchange that stores what is there, and reads the data each time.
//  NULLED, DIVIDES, ASSERTS, OUTSIDE    an error in the loop.
//  COUNTS     the writer increments a counter for ever, and two more threads race.
//
// expect sc tso pso rc11: verified
// expect sc tso pso, define RACES: verified
// expect rc11, define RACES: violated
// expect rc11, define NESTED: violated
// expect rc11, define LATER: verified
// expect rc11, define LATER, weaken 1: violated
// expect rc11, define BOTH: violated
// expect rc11, define RETRIES: violated
// expect rc11, define EXCHANGES: violated
// expect sc tso pso armv8, define EXCHANGES: verified
// expect sc tso pso rc11 rmo armv8, define NULLED: violated
// expect sc tso pso rc11 rmo armv8, define DIVIDES: violated
// expect sc tso pso rc11 rmo armv8, define ASSERTS: violated
// expect sc tso pso rc11 rmo armv8, define OUTSIDE: violated
// expect rc11, define COUNTS: violated
#include <assert.h>
#include <fenceline.h>
#include <pthread.h>
#include <stdatomic.h>

atomic_int flag, ready, out;
atomic_int closed = 1;
atomic_int position = 5;
_Atomic(int*) where;
int data, other, table[2] = {1, 1};

static int set(atomic_int* what) { return atomic_load_explicit(what, memory_order_acquire); }

void* writer(void* unused) {
#ifdef LATER
  while (atomic_load_explicit(&out, fl_order(1, memory_order_acquire)) == 0) {
  }
  data = 1;
#elif defined(COUNTS)
  for (;;) atomic_fetch_add_explicit(&out, 1, memory_order_relaxed);
#else
  data = 1;
  atomic_store_explicit(&where, &data, memory_order_relaxed);
  atomic_store_explicit(&position, 1, memory_order_relaxed);
  atomic_store_explicit(&closed, 0, memory_order_release);
  atomic_store_explicit(&flag, 1, memory_order_release);
#endif
  return unused;
}

void* reader(void* unused) {
  int seen = 0;
#if defined(RACES) || defined(LATER)
  while (!set(&flag)) seen = data;
#elif defined(NESTED)
  while (!set(&flag))
    while (!set(&ready))
      if (data == 7) seen = data;
#elif defined(BOTH)
  while (!set(&flag)) {
    while (!set(&ready)) seen = other;
  }
#elif defined(RETRIES)
  int expected;
  do {
    expected = 1;
    if (atomic_compare_exchange_strong(&flag, &expected, 2)) break;
    if (data == 7) seen = 1;
  } while (1);
#elif defined(EXCHANGES)
  while (atomic_exchange_explicit(&closed, 1, memory_order_acquire) == 1)
    if (data == 7) seen = 1;
#elif defined(NULLED)
  while (!set(&flag)) seen = *atomic_load_explicit(&where, memory_order_relaxed);
#elif defined(DIVIDES)
  while (!set(&flag)) seen = 6 / (5 - atomic_load_explicit(&position, memory_order_relaxed));
#elif defined(ASSERTS)
  while (!set(&flag)) assert(atomic_load_explicit(&position, memory_order_relaxed) == 1);
#elif defined(OUTSIDE)
  while (!set(&flag)) seen = table[atomic_load_explicit(&position, memory_order_relaxed)];
#elif defined(COUNTS)
  data = 1;
#else
  while (!set(&flag)) {
  }
  seen = data;
#endif
#ifdef LATER
  atomic_store_explicit(&out, 1, memory_order_release);
#endif
  if (seen == 7) fl_assert(0);
  return unused;
}

void* third(void* unused) {
#ifdef LATER
  atomic_store_explicit(&flag, 1, memory_order_release);
#elif defined(BOTH)
  while (!set(&flag)) other = 1;
#elif defined(COUNTS)
  data = 2;
#endif
  atomic_store_explicit(&ready, 1, memory_order_release);
  return unused;
}

int main(void) {
  pthread_t threads[3];
  pthread_create(&threads[0], 0, writer, 0);
  pthread_create(&threads[1], 0, reader, 0);
  pthread_create(&threads[2], 0, third, 0);
  for (int i = 0; i < 3; ++i) pthread_join(threads[i], 0);
  return 0;
}
