// SPDX-License-Identifier: GPL-3.0-or-later
//
// The heart of Dekker's and Peterson's algorithms: each of two threads says that it comes, and looks whether
// the other does. One of them sees the other, if all four accesses are seq_cst. If only the stores are (the
// loads 1 and 2 are not), nothing in C keeps a load behind the store before it. It is so on x86, where the
// fence stands behind the store; ARM's stlr and RISC-V's fence before the store let the load overtake it.
//
// With EXCHANGE, they say it with an exchange. On ARM that is a loop of ldaxr and stlxr: a later load comes
// behind the first, not behind the second. RISC-V has a single instruction for it, but none for a
// compare-and-exchange (CAS).
//
// expect sc tso x86tso pso relaxed armv8 power riscv rc11: verified
// expect sc tso x86tso pso relaxed, weaken 1 2: verified
// expect armv8 power riscv rc11, weaken 1 2: violated
// expect sc tso relaxed armv8 power riscv rc11, define EXCHANGE: verified
// expect sc tso riscv, weaken 1 2, define EXCHANGE: verified
// expect armv8 rc11, weaken 1 2, define EXCHANGE: violated
// expect sc tso relaxed armv8 power riscv rc11, define CAS: verified
// expect armv8 riscv rc11, weaken 1 2, define CAS: violated
#include <assert.h>
#include <fenceline.h>
#include <pthread.h>
#include <stdatomic.h>

#ifdef EXCHANGE
#define COME(who) atomic_exchange_explicit(&who, 1, memory_order_seq_cst)
#elif defined(CAS)
#define COME(who) atomic_compare_exchange_strong(&who, &(int){0}, 1)
#else
#define COME(who) atomic_store_explicit(&who, 1, memory_order_seq_cst)
#endif

atomic_int one, two;
int saw_one = 1, saw_two = 1;

void* first(void* unused) {
  COME(one);
  saw_two = atomic_load_explicit(&two, fl_order(1, memory_order_seq_cst));
  return unused;
}

void* second(void* unused) {
  COME(two);
  saw_one = atomic_load_explicit(&one, fl_order(2, memory_order_seq_cst));
  return unused;
}

int main(void) {
  pthread_t threads[2];
  pthread_create(&threads[0], 0, first, 0);
  pthread_create(&threads[1], 0, second, 0);
  pthread_join(threads[0], 0);
  pthread_join(threads[1], 0);
  assert(saw_one || saw_two);
  return 0;
}
