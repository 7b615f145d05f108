// SPDX-License-Identifier: GPL-3.0-or-later
//
// Dependencies that a compiler would remove: of an address on `r ^ r`, of a stored value on `r - r`, `r * 0`,
// `(r & 0)`. To a machine they are dependencies, and they keep the two accesses in order where the machine
// keeps dependencies. `relaxed` keeps none.
//
// Without a define, a message: the writer has a fence, the reader a dependency of the second address on the
// first value. DATA: each of two threads loads and stores to the other's location; both loads see what the
// other thread stores only if the stores overtake the loads. INDEPENDENT is the same without dependencies.
//
// expect sc tso armv8 power riscv rmo: verified
// expect relaxed: violated
// expect armv8 power riscv rmo, define INDEPENDENT: violated
// expect armv8 power riscv rmo, define MINUS: verified
// expect armv8 power riscv rmo, define TIMES: verified
// expect armv8 power riscv rmo, define MASK: verified
// expect armv8 power riscv rmo, define COMPARE: verified
// expect armv8 power riscv rmo, define LOOP: verified
// expect armv8 power riscv rmo, define CALL: verified
// expect armv8 power riscv rmo, define DATA: verified
// expect armv8 power riscv rmo, define DATA MINUS: verified
// expect armv8 power riscv rmo, define DATA TIMES: verified
// expect armv8 power riscv rmo, define DATA MASK: verified
// expect armv8 power riscv rmo, define DATA COMPARE: verified
// expect relaxed, define DATA: violated
// expect armv8 power riscv rmo, define DATA INDEPENDENT: violated
#include <fenceline.h>
#include <pthread.h>
#include <stdatomic.h>

static inline int nothing(int r) {
#if defined(INDEPENDENT)
  return 0;
#elif defined(MINUS)
  return r - r;
#elif defined(TIMES)
  return r * 0;
#elif defined(MASK)
  return r & 0;
#elif defined(COMPARE)
  return r != r;
#else
  return r ^ r;
#endif
}

#ifdef CALL
static int (*volatile_call)(int) = nothing;
#define nothing(r) volatile_call(r)
#endif

atomic_int x[1], y;
int first, second;

#ifdef DATA
void* one(void* unused) {
  const int r = atomic_load_explicit(&x[0], memory_order_relaxed);
  atomic_store_explicit(&y, 1 + nothing(r), memory_order_relaxed);
  first = r;
  return 0;
}

void* two(void* unused) {
  const int r = atomic_load_explicit(&y, memory_order_relaxed);
  atomic_store_explicit(&x[0], 1 + nothing(r), memory_order_relaxed);
  second = r;
  return 0;
}
#else
void* one(void* unused) {
  atomic_store_explicit(&x[0], 1, memory_order_relaxed);
  fl_fence("full");
  atomic_store_explicit(&y, 1, memory_order_relaxed);
  second = 1;
  return 0;
}

void* two(void* unused) {
  const int r = atomic_load_explicit(&y, memory_order_relaxed);
  int seen = 1;
#ifdef LOOP
  for (int i = 0; i < 1; i++)
#endif
    seen = atomic_load_explicit(&x[nothing(r)], memory_order_relaxed);
  first = r && !seen;
  return 0;
}
#endif

int main(void) {
  pthread_t a, b;
  pthread_create(&a, 0, one, 0);
  pthread_create(&b, 0, two, 0);
  pthread_join(a, 0);
  pthread_join(b, 0);
  fl_assert(!(first && second));
  return 0;
}
