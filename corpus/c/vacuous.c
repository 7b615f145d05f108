// SPDX-License-Identifier: GPL-3.0-or-later
//
// Proofs about nothing. A lock is never given back, so the second thread waits for ever, main waits for it,
// and what main asserts in the end does not matter. Such a proof must say so.
//
//   GIVES_BACK  the lock is given back, and the assertion counts
//   RIGHT       with that: the assertion is right
//   SPINS       the lock is one that spins
//   MUTEX       a mutex of the library
//   ASSUMES     no lock; an assumption that does not hold
//   UNREACHED   no lock; an assertion that no execution reaches, in a program that ends
//   EVALUATED   no lock; the second half of an assertion is never evaluated, its first half is
//   DETACHED    main does not wait
//
// expect sc tso pso rmo armv8 power riscv rc11, vacuous: verified
// expect sc tso pso rmo armv8 power riscv rc11, define GIVES_BACK: violated
// expect sc tso pso rmo armv8 power riscv rc11, define GIVES_BACK RIGHT: verified
// expect sc tso pso, define SPINS, vacuous: verified
// expect sc tso pso, define SPINS GIVES_BACK: violated
// expect sc tso pso rc11, define MUTEX, vacuous: verified
// expect sc tso pso rc11, define MUTEX GIVES_BACK: violated
// expect sc tso pso rc11, define ASSUMES, vacuous: verified
// expect sc tso pso rc11, define UNREACHED, vacuous: verified
// expect sc tso pso rc11, define EVALUATED: verified
// expect sc tso pso rc11, define DETACHED: verified
#include <assert.h>
#include <fenceline.h>
#include <pthread.h>
#include <stdatomic.h>

atomic_int held, zero;
int count;
pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;

static void lock(void) {
#if defined MUTEX
  pthread_mutex_lock(&mutex);
#elif defined SPINS
  while (atomic_exchange_explicit(&held, 1, memory_order_acquire)) {
  }
#elif !defined ASSUMES && !defined UNREACHED && !defined EVALUATED
  fl_await(!atomic_exchange_explicit(&held, 1, memory_order_acquire));
#endif
}

static void unlock(void) {
#ifdef GIVES_BACK
#ifdef MUTEX
  pthread_mutex_unlock(&mutex);
#else
  atomic_store_explicit(&held, 0, memory_order_release);
#endif
#endif
}

void* work(void* unused) {
  lock();
#if !defined ASSUMES && !defined UNREACHED && !defined EVALUATED
  ++count;
#endif
  unlock();
  return unused;
}

int main(void) {
  pthread_t threads[2];
  pthread_create(&threads[0], 0, work, 0);
  pthread_create(&threads[1], 0, work, 0);
#ifndef DETACHED
  pthread_join(threads[0], 0);
  pthread_join(threads[1], 0);
#ifdef ASSUMES
  fl_assume(atomic_load(&zero) == 1);
#endif
#ifdef UNREACHED
  if (atomic_load(&zero)) assert(count == 5);
#elif defined EVALUATED
  assert(atomic_load(&zero) == 0 || atomic_load(&held) == 1);
#elif defined RIGHT
  assert(count == 2);
#else
  assert(count == 3);
#endif
#endif
  return 0;
}
