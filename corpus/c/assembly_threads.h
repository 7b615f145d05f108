// SPDX-License-Identifier: GPL-3.0-or-later
//
// What the files assembly_*.c check of their operations. With C11 the operations are those of C11, and the verdicts are
// the same.
//
//  (none)   a lock: two threads count under it if they get it. All that got it have been counted.
//  MESSAGE  a message: who sees the flag sees what was written before it was set.
//  DEKKER   two threads announce themselves and look at each other: at least one of them sees the other.
#ifndef FENCELINE_CORPUS_ASSEMBLY_THREADS_H
#define FENCELINE_CORPUS_ASSEMBLY_THREADS_H
#include <fenceline.h>
#include <pthread.h>

static int lock, flag, count, r, s;

#ifdef C11

static int try_lock(int* lock) {
  int free = 0;
  return __atomic_compare_exchange_n(lock, &free, 1, 0, ACQUIRE, __ATOMIC_RELAXED);
}
static void unlock(int* lock) { __atomic_store_n(lock, 0, RELEASE); }
static void publish(int* flag) { __atomic_store_n(flag, 1, RELEASE); }
static int observe(int* flag) { return __atomic_load_n(flag, ACQUIRE); }
static void announce(int* mine) { __atomic_store_n(mine, 1, LOUD); }
static int look(int* other) { return __atomic_load_n(other, LOUD); }

#endif

#if defined(MESSAGE)

static void* first(void* unused) {
  count = 1;
  publish(&flag);
  return unused;
}
static void* second(void* unused) {
  if (observe(&flag)) fl_assert(count == 1);
  return unused;
}
static void at_end(void) {}

#elif defined(DEKKER)

static void* first(void* unused) {
  announce(&lock);
  r = look(&flag);
  return unused;
}
static void* second(void* unused) {
  announce(&flag);
  s = look(&lock);
  return unused;
}
static void at_end(void) { fl_assert(r == 1 || s == 1); }

#else

static int counted(void) {
  if (!try_lock(&lock)) return 0;
  count = count + 1;
  unlock(&lock);
  return 1;
}
static void* first(void* unused) {
  r = counted();
  return unused;
}
static void* second(void* unused) {
  s = counted();
  return unused;
}
static void at_end(void) { fl_assert(count == r + s); }

#endif

int main(void) {
  pthread_t a, b;
  pthread_create(&a, 0, first, 0);
  pthread_create(&b, 0, second, 0);
  pthread_join(a, 0);
  pthread_join(b, 0);
  at_end();
  return 0;
}

#endif
