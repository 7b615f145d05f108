// SPDX-License-Identifier: GPL-3.0-or-later
//
// What is ordered where something acquires on the way: a reader sees a flag, without an order, then acquires elsewhere,
// and looks at the data. An acquire orders what follows behind the access that acquires, and nothing before it; only a
// fence keeps the two reads in order. So are the instructions of ARM, those of RISC-V for a read-modify-write, and the
// branch and isync of Power. Behind a load RISC-V has a fence, which does more.
//
//  (none)          a load acquires
//  EXCHANGE        an exchange
//  CAS, FAILING    a compare-and-exchange that succeeds, or fails
//  LATER_STORE     the other way round: a store before the acquire, one behind it
//  MUTEX           a mutex is taken
//  FENCE           a fence
//  OTHER_OUTCOME   a compare-and-exchange that sees the flag, and acquires on the outcome that does not happen
//  OWN_OUTCOME     the same on the outcome that happens
//  WRC             one thread writes the data, the second sees that and sets the flag. On Power the third may see the
//                  flag and not the data: only a fence passes on what its thread has seen.
//  STORE_BUFFER    each thread stores and looks at the other's store with a seq_cst compare-and-exchange that fails; on
//                  success its order would be weaker. One of them sees the other.
//
// expect sc tso pso riscv: verified
// expect armv8 power rc11 rc20: violated
// expect sc tso pso, define EXCHANGE: verified
// expect armv8 riscv power rc11 rc20, define EXCHANGE: violated
// expect sc tso pso, define CAS: verified
// expect armv8 riscv power rc11 rc20, define CAS: violated
// expect sc tso pso, define FAILING: verified
// expect armv8 riscv power rc11 rc20, define FAILING: violated
// expect sc tso pso, define FAILING WEAK: verified
// expect armv8 riscv power rc11 rc20, define FAILING WEAK: violated
// expect sc tso, define LATER_STORE: verified
// expect pso armv8 riscv power rc11 rc20, define LATER_STORE: violated
// expect sc tso pso, define MUTEX: verified
// expect armv8 riscv power rc11 rc20, define MUTEX: violated
// expect sc tso pso armv8 riscv power rc11 rc20, define FENCE: verified
// expect power rc11 rc20, define OTHER_OUTCOME: violated
// expect sc tso pso armv8 riscv, define OTHER_OUTCOME: verified
// expect sc tso pso armv8 riscv power rc11 rc20, define OWN_OUTCOME: verified
// expect sc tso pso armv8 riscv power rc11 rc20, define OWN_OUTCOME WEAK: verified
// expect sc tso pso armv8 riscv, define WRC: verified
// expect power rc11 rc20, define WRC: violated
// expect sc tso pso armv8 riscv power rc11 rc20, define STORE_BUFFER: verified
// expect sc tso pso armv8 riscv power rc11 rc20, define STORE_BUFFER WEAK: verified
#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>

#define ACQUIRE memory_order_acquire
#define RELAXED memory_order_relaxed
#define SEQ_CST memory_order_seq_cst
#define load atomic_load_explicit
#define store atomic_store_explicit
#ifdef WEAK
#define exchange_if atomic_compare_exchange_weak_explicit
#else
#define exchange_if atomic_compare_exchange_strong_explicit
#endif

atomic_int data, flag, other;
pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
int first, second, third;

#if defined(STORE_BUFFER)

void *one(void *unused) {
  store(&data, 1, SEQ_CST);
  first = 9;
  exchange_if(&flag, &first, 5, RELAXED, SEQ_CST);
  return unused;
}
void *two(void *unused) {
  store(&flag, 1, SEQ_CST);
  second = 9;
  exchange_if(&data, &second, 5, ACQUIRE, SEQ_CST);
  return unused;
}
#define VIOLATED (first == 0 && second == 0)

#elif defined(WRC)

void *one(void *unused) {
  store(&data, 1, RELAXED);
  return unused;
}
void *two(void *unused) {
  first = load(&data, ACQUIRE);
  store(&flag, 1, RELAXED);
  return unused;
}
void *three(void *unused) {
  second = load(&flag, RELAXED);
  third = load(&data + (second ^ second), RELAXED);
  return unused;
}
#define VIOLATED (first == 1 && second == 1 && third == 0)

#elif defined(LATER_STORE)

void *one(void *unused) {
  store(&data, 1, RELAXED);
  atomic_exchange_explicit(&other, 1, ACQUIRE);
  store(&flag, 1, RELAXED);
  return unused;
}
void *two(void *unused) {
  first = load(&flag, RELAXED);
  atomic_thread_fence(SEQ_CST);
  second = load(&data, RELAXED);
  return unused;
}
#define VIOLATED (first == 1 && second == 0)

#else

void *one(void *unused) {
  store(&data, 1, RELAXED);
  atomic_thread_fence(SEQ_CST);
  store(&flag, 1, RELAXED);
  return unused;
}
void *two(void *unused) {
#if defined(OTHER_OUTCOME)
  first = 9;
  exchange_if(&flag, &first, 2, ACQUIRE, RELAXED);
#elif defined(OWN_OUTCOME)
  first = 9;
  exchange_if(&flag, &first, 2, RELAXED, ACQUIRE);
#else
  int expected = 5;
  first = load(&flag, RELAXED);
#if defined(EXCHANGE)
  atomic_exchange_explicit(&other, 1, ACQUIRE);
#elif defined(CAS)
  expected = 0;
  exchange_if(&other, &expected, 1, ACQUIRE, ACQUIRE);
#elif defined(FAILING)
  exchange_if(&other, &expected, 1, ACQUIRE, ACQUIRE);
#elif defined(MUTEX)
  pthread_mutex_lock(&mutex);
#elif defined(FENCE)
  atomic_thread_fence(ACQUIRE);
#else
  expected = load(&other, ACQUIRE);
#endif
#endif
  second = load(&data, RELAXED);
  return unused;
}
#define VIOLATED (first == 1 && second == 0)

#endif
#ifndef WRC
void *three(void *unused) { return unused; }
#endif

int main(void) {
  pthread_t threads[3];
  pthread_create(&threads[0], 0, one, 0);
  pthread_create(&threads[1], 0, two, 0);
  pthread_create(&threads[2], 0, three, 0);
  for (int i = 0; i < 3; ++i) pthread_join(threads[i], 0);
  assert(!VIOLATED);
  return 0;
}
