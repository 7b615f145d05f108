// SPDX-License-Identifier: GPL-3.0-or-later
//
// A lock, a message and two threads that look at each other (assembly_threads.h), in assembly of Power. The lock is
// taken with lwarx and stwcx.; a branch that depends on what was loaded, and isync behind it, make a load acquire.
//
//  (none)          isync behind what acquires, lwsync before what releases, sync between store and load
//  LWSYNC          lwsync everywhere: it does not order a store and a load behind it
//  SYNC            sync everywhere
//  EIEIO           eieio before what releases orders stores. That is enough for a message, and not for C11.
//  WEAK_ACQUIRE    nothing behind what acquires
//  WEAK_RELEASE    nothing before what releases, and nothing between store and load
//
// options --target ppc64le
// expect sc tso power: verified
// expect sc tso power rc11, define LWSYNC: verified
// expect sc tso power rc11, define SYNC: verified
// expect sc tso power rc11, define C11: verified
// expect sc tso, define WEAK_ACQUIRE: verified
// expect power rc11, define WEAK_ACQUIRE: violated
// expect power rc11, define C11 WEAK_ACQUIRE: violated
// expect sc tso, define WEAK_RELEASE: verified
// expect power rc11, define WEAK_RELEASE: violated
// expect power rc11, define C11 WEAK_RELEASE: violated
//
// expect sc tso power, define MESSAGE: verified
// expect sc tso power rc11, define MESSAGE LWSYNC: verified
// expect sc tso power rc11, define MESSAGE SYNC: verified
// expect sc tso power, define MESSAGE EIEIO: verified
// expect rc11, define MESSAGE EIEIO: violated
// expect sc tso power rc11, define MESSAGE C11: verified
// expect power rc11, define MESSAGE WEAK_ACQUIRE: violated
// expect power rc11, define MESSAGE WEAK_RELEASE: violated
// expect power rc11, define MESSAGE C11 WEAK_ACQUIRE: violated
// expect power rc11, define MESSAGE C11 WEAK_RELEASE: violated
//
// expect sc tso power rc11, define DEKKER: verified
// expect sc tso power rc11, define DEKKER C11: verified
// expect sc, define DEKKER LWSYNC: verified
// expect tso power rc11, define DEKKER LWSYNC: violated
// expect power rc11, define DEKKER EIEIO: violated
// expect power rc11, define DEKKER WEAK_RELEASE: violated
// expect power rc11, define DEKKER C11 WEAK_RELEASE: violated

#if defined(SYNC)
#define BEHIND_ACQUIRE "sync"
#define BEFORE_RELEASE "sync"
#define BETWEEN "sync"
#elif defined(LWSYNC)
#define BEHIND_ACQUIRE "lwsync"
#define BEFORE_RELEASE "lwsync"
#define BETWEEN "lwsync"
#elif defined(EIEIO)
#define BEHIND_ACQUIRE "isync"
#define BEFORE_RELEASE "eieio"
#define BETWEEN "eieio"
#else
#define BEHIND_ACQUIRE "isync"
#define BEFORE_RELEASE "lwsync"
#define BETWEEN "sync"
#endif
#ifdef WEAK_ACQUIRE
#undef BEHIND_ACQUIRE
#define BEHIND_ACQUIRE ""
#define ACQUIRE __ATOMIC_RELAXED
#else
#define ACQUIRE __ATOMIC_ACQUIRE
#endif
#ifdef WEAK_RELEASE
#undef BEFORE_RELEASE
#undef BETWEEN
#define BEFORE_RELEASE ""
#define BETWEEN ""
#define RELEASE __ATOMIC_RELAXED
#define LOUD __ATOMIC_RELAXED
#else
#define RELEASE __ATOMIC_RELEASE
#define LOUD __ATOMIC_SEQ_CST
#endif

#ifndef C11

static int try_lock(int* lock) {
  int seen;
  __asm__ volatile(
      "1: lwarx %0, 0, %2\n"
      "   cmpwi 0, %0, 0\n"
      "   bne- 2f\n"
      "   stwcx. %3, 0, %2\n"
      "   bne- 1b\n"
      "   " BEHIND_ACQUIRE "\n"
      "2:"
      : "=&r"(seen), "+m"(*lock)
      : "r"(lock), "r"(1)
      : "cr0", "memory");
  return seen == 0;
}

static void release(int* location, int value) {
  __asm__ volatile(BEFORE_RELEASE ::: "memory");
  __asm__ volatile("stw %1, %0" : "=m"(*location) : "r"(value) : "memory");
}
static void unlock(int* lock) { release(lock, 0); }
static void publish(int* flag) { release(flag, 1); }

static int observe(int* flag) {
  int seen;
  __asm__ volatile(
      "   lwz %0, %1\n"
      "   cmpw 7, %0, %0\n"
      "   bne- 7, 1f\n"
      "1: " BEHIND_ACQUIRE
      : "=r"(seen)
      : "m"(*flag)
      : "cr7", "memory");
  return seen;
}

static void announce(int* mine) {
  __asm__ volatile("stw %1, %0" : "=m"(*mine) : "r"(1) : "memory");
  __asm__ volatile(BETWEEN ::: "memory");
}
static int look(int* other) {
  int seen;
  __asm__ volatile("lwz %0, %1" : "=r"(seen) : "m"(*other) : "memory");
  return seen;
}

#endif

#include "assembly_threads.h"
