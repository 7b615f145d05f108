// SPDX-License-Identifier: GPL-3.0-or-later
//
// A lock, a message and two threads that look at each other (assembly_threads.h), in assembly of AArch64.
//
//  EXCLUSIVE, CAS, SWAP, ADD, SET   how the lock is taken: ldaxr and stxr, casa, swpa, ldadda, ldseta
//  FENCES          relaxed accesses, and dmb ish: behind what acquires, before what releases, between store and load
//  ONE_WAY         the same with dmb ishld for what acquires, and dmb ishst for a message: enough but for two that look
//                  at each other. In C11 there is no fence of stores alone.
//  RCPC            ldapr instead of ldar: a load that acquires, and may overtake a stlr
//  WEAK_ACQUIRE    what acquires is relaxed: ldxr, cas, swp, ldadd, ldset, ldr; the same for what looks at the other
//  WEAK_RELEASE    what releases is relaxed: str; the same for what announces a thread
//
// options --target aarch64
// expect sc tso armv8 rc11, define EXCLUSIVE: verified
// expect sc tso armv8 rc11, define CAS: verified
// expect sc tso armv8 rc11, define SWAP: verified
// expect sc tso armv8 rc11, define ADD: verified
// expect sc tso armv8 rc11, define SET: verified
// expect sc tso armv8 rc11, define EXCLUSIVE FENCES: verified
// expect sc tso armv8, define EXCLUSIVE ONE_WAY: verified
// expect sc tso armv8 rc11, define EXCLUSIVE C11: verified
//
// expect sc tso, define EXCLUSIVE WEAK_ACQUIRE: verified
// expect armv8 rc11, define EXCLUSIVE WEAK_ACQUIRE: violated
// expect armv8 rc11, define CAS WEAK_ACQUIRE: violated
// expect armv8 rc11, define SWAP WEAK_ACQUIRE: violated
// expect armv8 rc11, define ADD WEAK_ACQUIRE: violated
// expect armv8 rc11, define SET WEAK_ACQUIRE: violated
// expect armv8 rc11, define CAS C11 WEAK_ACQUIRE: violated
// expect sc tso, define EXCLUSIVE WEAK_RELEASE: verified
// expect armv8 rc11, define EXCLUSIVE WEAK_RELEASE: violated
// expect armv8 rc11, define EXCLUSIVE C11 WEAK_RELEASE: violated
//
// expect sc tso armv8 rc11, define MESSAGE: verified
// expect sc tso armv8 rc11, define MESSAGE RCPC: verified
// expect sc tso armv8 rc11, define MESSAGE FENCES: verified
// expect sc tso armv8, define MESSAGE ONE_WAY: verified
// expect rc11, define MESSAGE ONE_WAY: violated
// expect sc tso armv8 rc11, define MESSAGE C11: verified
// expect armv8 rc11, define MESSAGE WEAK_ACQUIRE: violated
// expect armv8 rc11, define MESSAGE WEAK_RELEASE: violated
// expect armv8 rc11, define MESSAGE C11 WEAK_ACQUIRE: violated
// expect armv8 rc11, define MESSAGE C11 WEAK_RELEASE: violated
//
// expect sc armv8 rc11, define DEKKER: verified
// expect sc armv8 rc11, define DEKKER C11: verified
// expect sc tso armv8 rc11, define DEKKER FENCES: verified
// expect sc, define DEKKER RCPC: verified
// expect armv8 rc11, define DEKKER RCPC: violated
// expect armv8, define DEKKER ONE_WAY: violated
// expect armv8 rc11, define DEKKER WEAK_ACQUIRE: violated
// expect armv8 rc11, define DEKKER WEAK_RELEASE: violated
// expect armv8 rc11, define DEKKER C11 WEAK_ACQUIRE WEAK_RELEASE: violated

// ---- Suffixes and mnemonics, by how strong they are

#if defined(FENCES) || defined(ONE_WAY) || defined(WEAK_ACQUIRE)
#define A ""
#define LDXR "ldxr"
#define LOAD "ldr"
#else
#define A "a"
#define LDXR "ldaxr"
#ifdef RCPC
#define LOAD "ldapr"
#else
#define LOAD "ldar"
#endif
#endif
#if defined(FENCES) || defined(ONE_WAY) || defined(WEAK_RELEASE)
#define STORE "str"
#else
#define STORE "stlr"
#endif

#ifdef WEAK_ACQUIRE
#define ACQUIRE __ATOMIC_RELAXED
#else
#define ACQUIRE __ATOMIC_ACQUIRE
#endif
#ifdef WEAK_RELEASE
#define RELEASE __ATOMIC_RELAXED
#define LOUD __ATOMIC_RELAXED
#else
#define RELEASE __ATOMIC_RELEASE
#define LOUD __ATOMIC_SEQ_CST
#endif

#ifndef C11

static void after_acquire(void) {
#if defined(FENCES)
  __asm__ volatile("dmb ish" ::: "memory");
#elif defined(ONE_WAY)
  __asm__ volatile("dmb ishld" ::: "memory");
#endif
}

static int try_lock(int* lock) {
  int seen, one = 1, failed;
#if defined(CAS)
  seen = 0;
  __asm__ volatile("cas" A " %w0, %w2, %1" : "+r"(seen), "+Q"(*lock) : "r"(one) : "memory");
#elif defined(SWAP)
  __asm__ volatile("swp" A " %w2, %w0, %1" : "=r"(seen), "+Q"(*lock) : "r"(one) : "memory");
#elif defined(ADD)
  __asm__ volatile("ldadd" A " %w2, %w0, %1" : "=r"(seen), "+Q"(*lock) : "r"(one) : "memory");
#elif defined(SET)
  __asm__ volatile("ldset" A " %w2, %w0, [%1]" : "=r"(seen) : "r"(lock), "r"(one) : "memory");
#else
  __asm__ volatile(
      "1: " LDXR " %w0, %1\n"
      "   cbnz %w0, 2f\n"
      "   stxr %w2, %w3, %1\n"
      "   cbnz %w2, 1b\n"
      "2:"
      : "=&r"(seen), "+Q"(*lock), "=&r"(failed)
      : "r"(one)
      : "memory");
#endif
  after_acquire();
  (void)failed;
  return seen == 0;
}

static void release(int* location, int value) {
#if defined(FENCES) || (defined(ONE_WAY) && !defined(MESSAGE))
  __asm__ volatile("dmb ish" ::: "memory");
#elif defined(ONE_WAY)
  __asm__ volatile("dmb ishst" ::: "memory");
#endif
  __asm__ volatile(STORE " %w1, %0" : "=Q"(*location) : "r"(value) : "memory");
}
static void unlock(int* lock) { release(lock, 0); }
static void publish(int* flag) { release(flag, 1); }

static int observe(int* flag) {
  int seen;
  __asm__ volatile(LOAD " %w0, %1" : "=r"(seen) : "Q"(*flag) : "memory");
  after_acquire();
  return seen;
}

static void announce(int* mine) {
  __asm__ volatile(STORE " %w1, %0" : "=Q"(*mine) : "r"(1) : "memory");
#if defined(FENCES)
  __asm__ volatile("dmb ish" ::: "memory");
#elif defined(ONE_WAY)
  __asm__ volatile("dmb ishld" ::: "memory");
#endif
}
static int look(int* other) {
  int seen;
  __asm__ volatile(LOAD " %w0, %1" : "=r"(seen) : "Q"(*other) : "memory");
  return seen;
}

#endif

#include "assembly_threads.h"
