// SPDX-License-Identifier: GPL-3.0-or-later
//
// What isync and eieio of Power do not order. A reader sees a flag, takes a lock, and looks at the data. Behind lwarx,
// stwcx. and the branch that tries again, isync orders what follows behind the lwarx, and nothing before it. eieio orders
// stores only.
//
//  (none)       isync behind the pair
//  LWSYNC       lwsync behind it: the two reads are in order, and a thread passes on what it has seen
//  EIEIO        eieio between the two reads, and no lock
//  NO_BRANCH    stwcx. is not tried again, and isync is behind no branch: it orders nothing
//  LOCK         who has the lock sees what was written under it
//  WRC          a second thread sees the data, takes the lock and sets the flag; a third may see the flag and not the data
//
// options --target ppc64le
// expect power: violated
// expect power, define HINT: violated
// expect power, define LWSYNC: verified
// expect power, define EIEIO: violated
// expect power, define LOCK: verified
// expect power, define LOCK HINT: verified
// expect power, define LOCK LWSYNC: verified
// expect power, define LOCK NO_BRANCH: violated
// expect power, define WRC: violated
// expect power, define WRC LWSYNC: verified
// expect sc tso, define LOCK HINT: verified
// expect sc tso, define WRC: verified
// expect sc tso: verified
#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>

#ifdef HINT
#define LOAD "1: lwarx %0, 0, %2, 1\n"
#else
#define LOAD "1: lwarx %0, 0, %2, 0\n"
#endif
#ifdef LWSYNC
#define BEHIND "lwsync\n"
#else
#define BEHIND "isync\n"
#endif
#ifdef NO_BRANCH
#define AGAIN ""
#else
#define AGAIN "bne- 1b\n"
#endif

atomic_int data, flag;
int lock, first, second, third;

#define load(from) atomic_load_explicit(from, memory_order_relaxed)
#define store(to, value) atomic_store_explicit(to, value, memory_order_relaxed)

// Gives what it was.
static int take(int *at) {
  int seen;
  __asm__ volatile(LOAD
                   "   stwcx. %3, 0, %2\n"
                   "   " AGAIN "   " BEHIND
                   : "=&r"(seen), "+m"(*at)
                   : "r"(at), "r"(2)
                   : "cr0", "memory");
  return seen;
}

#if defined(LOCK)

void *one(void *unused) {
  store(&data, 1);
  __asm__ volatile("lwsync" ::: "memory");
  __atomic_store_n(&lock, 1, __ATOMIC_RELAXED);
  return unused;
}
void *two(void *unused) {
  first = take(&lock) == 1;
  second = load(&data);
  return unused;
}

#elif defined(WRC)

void *one(void *unused) {
  store(&data, 1);
  return unused;
}
void *two(void *unused) {
  third = load(&data);
  take(&lock);
  store(&flag, 1);
  return unused;
}

#else

void *one(void *unused) {
  store(&data, 1);
  __asm__ volatile("sync" ::: "memory");
  store(&flag, 1);
  return unused;
}
void *two(void *unused) {
  first = load(&flag);
#ifdef EIEIO
  __asm__ volatile("eieio" ::: "memory");
#else
  take(&lock);
#endif
  second = load(&data);
  return unused;
}

#endif

void *three(void *unused) {
#ifdef WRC
  first = load(&flag);
  second = load(&data + (first ^ first));
#endif
  return unused;
}

int main(void) {
#ifndef WRC
  third = 1;
#endif
  pthread_t threads[3];
  pthread_create(&threads[0], 0, one, 0);
  pthread_create(&threads[1], 0, two, 0);
  pthread_create(&threads[2], 0, three, 0);
  for (int i = 0; i < 3; ++i) pthread_join(threads[i], 0);
  assert(!(first == 1 && second == 0 && third == 1));
  return 0;
}
