// SPDX-License-Identifier: GPL-3.0-or-later
//
// Two threads that announce themselves and look at each other, in assembly of x86. Without a define there is an mfence
// between the two; then at least one of them sees the other.
//
//  NONE      no fence: each load may overtake the store before it, on all models but SC.
//  EXCHANGE  the store is an xchg, which is a fence, too.
//  ADD       the store is followed by the locked addition to the stack that compilers use instead of mfence.
//  SFENCE    a fence of stores orders no store with a load.
//
// expect sc tso pso rc11 armv8: verified
// expect sc, define NONE: verified
// expect tso pso rc11 armv8, define NONE: violated
// expect sc tso pso rc11 armv8, define EXCHANGE: verified
// expect sc tso pso rc11 armv8, define ADD: verified
// expect sc, define SFENCE: verified
// expect tso pso rc11 armv8, define SFENCE: violated
#include <fenceline.h>
#include <pthread.h>

int x, y, r, s;

static void announce(int *mine) {
#if defined(EXCHANGE)
  int one = 1;
  __asm__ volatile("xchgl %0, %1" : "+r"(one), "+m"(*mine) : : "memory");
#else
  __asm__ volatile("movl %1, %0" : "=m"(*mine) : "ir"(1) : "memory");
#endif
#if defined(ADD)
  __asm__ volatile("lock; addl $0,-128(%%rsp)" ::: "memory", "cc");
#elif defined(SFENCE)
  __asm__ volatile("sfence" ::: "memory");
#elif !defined(NONE) && !defined(EXCHANGE)
  __asm__ volatile("mfence" ::: "memory");
#endif
}

static int look(int *other) {
  int seen;
  __asm__ volatile("movl %1, %0" : "=r"(seen) : "m"(*other) : "memory");
  return seen;
}

static void *first(void *unused) {
  announce(&x);
  r = look(&y);
  return unused;
}

static void *second(void *unused) {
  announce(&y);
  s = look(&x);
  return unused;
}

int main(void) {
  pthread_t a, b;
  pthread_create(&a, NULL, first, NULL);
  pthread_create(&b, NULL, second, NULL);
  pthread_join(a, NULL);
  pthread_join(b, NULL);
  fl_assert(r == 1 || s == 1);
  return 0;
}
