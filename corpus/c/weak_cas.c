// SPDX-License-Identifier: GPL-3.0-or-later
//
// Weak compare-and-exchange may fail although it sees what it expects. Two threads add 1 each in a loop, which
// a failure only sends back; and a lock that is taken in such a loop. ONCE: one thread alone tries once, and
// counts on success; STRONG: with the strong one it may. FLAG: a failure without a reason is a load, and has the
// order of failure: what was released before the value that it sees is seen only if that order acquires.
//
// On Relaxed, which keeps no control dependencies, a store behind the loop of the lock could be what makes it iterate.
// A loop that accesses one location only cannot be the end of such a cycle: there, loads stay before later stores.
//
// expect sc tso pso relaxed rmo armv8 power riscv rc11: verified
// expect sc tso pso relaxed rmo armv8 power riscv rc11, define STRONG: verified
// expect sc tso pso rmo armv8 power rc11, define LOCK: verified
// expect relaxed, define LOCK: unknown
// expect sc tso x86tso pso relaxed rmo armv8 power riscv rc11, define ONCE: violated
// expect sc tso x86tso pso relaxed rmo armv8 power riscv rc11, define ONCE STRONG: verified
// expect rc11 armv8 sc tso, define FLAG ACQUIRE: verified
// expect rc11, define FLAG: violated
// expect rc11, define FLAG STRONG: verified
#include <fenceline.h>
#include <pthread.h>
#include <stdatomic.h>

#ifdef STRONG
#define exchange atomic_compare_exchange_strong_explicit
#else
#define exchange atomic_compare_exchange_weak_explicit
#endif

atomic_int x, lock;
int data;

#if defined(ONCE)
void* one(void* unused) { return 0; }
void* two(void* unused) {
  int expected = 0;
  fl_assert(exchange(&x, &expected, 1, memory_order_seq_cst, memory_order_seq_cst));
  return 0;
}
#elif defined(FLAG)
// A thread that sees 1 in x has seen data, by an exchange that succeeds (acquire) or fails.
#ifdef ACQUIRE
#define failure memory_order_acquire
#else
#define failure memory_order_relaxed
#endif
void* one(void* unused) {
  data = 1;
  atomic_store_explicit(&x, 1, memory_order_release);
  return 0;
}
void* two(void* unused) {
  int expected = 1;
  exchange(&x, &expected, 2, memory_order_acquire, failure);
  if (expected == 1 && atomic_load_explicit(&x, memory_order_relaxed) != 0) fl_assert(data == 1);
  return 0;
}
#elif defined(LOCK)
void* one(void* unused) {
  int expected = 0;
  while (!exchange(&lock, &expected, 1, memory_order_acquire, memory_order_relaxed)) expected = 0;
  data = data + 1;
  atomic_store_explicit(&lock, 0, memory_order_release);
  return 0;
}
#define two one
#else
void* one(void* unused) {
  int expected;
  do {
    expected = atomic_load_explicit(&x, memory_order_relaxed);
  } while (!exchange(&x, &expected, expected + 1, memory_order_relaxed, memory_order_relaxed));
  return 0;
}
#define two one
#endif

int main(void) {
  pthread_t a, b;
  pthread_create(&a, 0, one, 0);
  pthread_create(&b, 0, two, 0);
  pthread_join(a, 0);
  pthread_join(b, 0);
#if defined(LOCK)
  fl_assert(data == 2);
#elif !defined(ONCE) && !defined(FLAG)
  fl_assert(atomic_load(&x) == 2);
#endif
  return 0;
}
