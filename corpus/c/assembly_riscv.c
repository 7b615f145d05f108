// SPDX-License-Identifier: GPL-3.0-or-later
//
// A lock, a message and two threads that look at each other (assembly_threads.h), in assembly of RISC-V.
//
//  PAIR, SWAP, ADD, OR   how the lock is taken: lr.w.aq and sc.w, amoswap.w.aq, amoadd.w.aq, amoor.w.aq. It is released by
//                  amoswap.w.rl; a message is sent with fence rw,w and received with fence r,rw.
//  FENCES          fence rw,rw: behind what acquires, before what releases, between store and load
//  ONE_WAY         fence r,r behind what acquires and fence w,w before what releases: enough for a message, in which one
//                  thread only stores and the other only loads. In C11 there are no such fences.
//  TSO             fence.tso: all but a store and a load behind it
//  WEAK_ACQUIRE    nothing acquires
//  WEAK_RELEASE    nothing releases, and nothing is between store and load
//
// options --target riscv64
// expect sc tso riscv rc11, define PAIR: verified
// expect sc tso riscv rc11, define SWAP: verified
// expect sc tso riscv rc11, define ADD: verified
// expect sc tso riscv rc11, define OR: verified
// expect sc tso riscv rc11, define PAIR FENCES: verified
// expect sc tso riscv rc11, define PAIR TSO: verified
// expect sc tso riscv rc11, define PAIR C11: verified
//
// expect sc tso, define PAIR WEAK_ACQUIRE: verified
// expect riscv rc11, define PAIR WEAK_ACQUIRE: violated
// expect riscv rc11, define SWAP WEAK_ACQUIRE: violated
// expect riscv rc11, define ADD WEAK_ACQUIRE: violated
// expect riscv rc11, define OR WEAK_ACQUIRE: violated
// expect riscv rc11, define PAIR C11 WEAK_ACQUIRE: violated
// expect sc tso, define PAIR WEAK_RELEASE: verified
// expect riscv rc11, define PAIR WEAK_RELEASE: violated
// expect riscv rc11, define PAIR C11 WEAK_RELEASE: violated
//
// expect sc tso riscv rc11, define MESSAGE: verified
// expect sc tso riscv rc11, define MESSAGE FENCES: verified
// expect sc tso riscv rc11, define MESSAGE TSO: verified
// expect sc tso riscv, define MESSAGE ONE_WAY: verified
// expect rc11, define MESSAGE ONE_WAY: violated
// expect sc tso riscv rc11, define MESSAGE C11: verified
// expect riscv rc11, define MESSAGE WEAK_ACQUIRE: violated
// expect riscv rc11, define MESSAGE WEAK_RELEASE: violated
// expect riscv rc11, define MESSAGE C11 WEAK_ACQUIRE: violated
// expect riscv rc11, define MESSAGE C11 WEAK_RELEASE: violated
//
// expect sc tso riscv rc11, define DEKKER FENCES: verified
// expect sc tso riscv rc11, define DEKKER C11: verified
// expect sc, define DEKKER TSO: verified
// expect tso riscv rc11, define DEKKER TSO: violated
// expect riscv rc11, define DEKKER ONE_WAY: violated
// expect riscv rc11, define DEKKER WEAK_RELEASE: violated
// expect riscv rc11, define DEKKER C11 WEAK_RELEASE: violated

#if defined(FENCES) || defined(TSO) || defined(ONE_WAY) || defined(WEAK_ACQUIRE)
#define AQ ""
#else
#define AQ ".aq"
#endif

#if defined(WEAK_ACQUIRE)
#define BEHIND_ACQUIRE ""
#elif defined(FENCES)
#define BEHIND_ACQUIRE "fence rw, rw"
#elif defined(TSO)
#define BEHIND_ACQUIRE "fence.tso"
#elif defined(ONE_WAY)
#define BEHIND_ACQUIRE "fence r, r"
#else
#define BEHIND_ACQUIRE "fence r, rw"
#endif
#if defined(WEAK_RELEASE)
#define BEFORE_RELEASE ""
#define BETWEEN ""
#elif defined(FENCES)
#define BEFORE_RELEASE "fence rw, rw"
#define BETWEEN "fence rw, rw"
#elif defined(TSO)
#define BEFORE_RELEASE "fence.tso"
#define BETWEEN "fence.tso"
#elif defined(ONE_WAY)
#define BEFORE_RELEASE "fence w, w"
#define BETWEEN "fence w, w"
#else
#define BEFORE_RELEASE "fence rw, w"
#define BETWEEN "fence rw, w"
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

static int try_lock(int* lock) {
  int seen, one = 1, failed;
#if defined(SWAP)
  __asm__ volatile("amoswap.w" AQ " %0, %2, %1" : "=r"(seen), "+A"(*lock) : "r"(one) : "memory");
#elif defined(ADD)
  __asm__ volatile("amoadd.w" AQ " %0, %2, %1" : "=r"(seen), "+A"(*lock) : "r"(one) : "memory");
#elif defined(OR)
  __asm__ volatile("amoor.w" AQ " %0, %2, (%1)" : "=r"(seen) : "r"(lock), "r"(one) : "memory");
#else
  __asm__ volatile(
      "1: lr.w" AQ " %0, %1\n"
      "   bnez %0, 2f\n"
      "   sc.w %2, %3, %1\n"
      "   bnez %2, 1b\n"
      "2:"
      : "=&r"(seen), "+A"(*lock), "=&r"(failed)
      : "r"(one)
      : "memory");
#endif
#if defined(FENCES) || defined(TSO)
  __asm__ volatile(BEHIND_ACQUIRE ::: "memory");
#endif
  (void)failed;
  return seen == 0;
}

static void unlock(int* lock) {
#if defined(FENCES) || defined(TSO)
  __asm__ volatile(BEFORE_RELEASE "\n sw zero, %0" : "=m"(*lock) : : "memory");
#elif defined(WEAK_RELEASE)
  __asm__ volatile("sw zero, %0" : "=m"(*lock) : : "memory");
#else
  __asm__ volatile("amoswap.w.rl zero, zero, %0" : "+A"(*lock) : : "memory");
#endif
}

static void publish(int* flag) {
  __asm__ volatile(BEFORE_RELEASE ::: "memory");
  __asm__ volatile("sw %1, %0" : "=m"(*flag) : "r"(1) : "memory");
}

static int observe(int* flag) {
  int seen;
  __asm__ volatile("lw %0, %1" : "=r"(seen) : "m"(*flag) : "memory");
  __asm__ volatile(BEHIND_ACQUIRE ::: "memory");
  return seen;
}

static void announce(int* mine) {
  __asm__ volatile("sw %1, %0" : "=m"(*mine) : "r"(1) : "memory");
  __asm__ volatile(BETWEEN ::: "memory");
}
static int look(int* other) {
  int seen;
  __asm__ volatile("lw %0, %1" : "=r"(seen) : "m"(*other) : "memory");
  return seen;
}

#endif

#include "assembly_threads.h"
