// SPDX-License-Identifier: GPL-3.0-or-later
//
// A ticket lock in one word: a thread takes a ticket by its upper half, waits for its lower half, and tries to take the
// lock with a compare-and-exchange of the whole word. Accesses of different sizes to the same bytes: one access finds all
// of another one, or nothing of it.
//
// expect sc tso pso armv8 riscv rc11: verified
// expect sc tso pso armv8 riscv rc11, define SPLIT: violated
#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdint.h>

union lock {
  _Atomic uint32_t word;
  struct {
    _Atomic uint16_t current, next;
  } half;
} lock;
int counter;

static void acquire(void) {
  const uint16_t ticket = atomic_fetch_add_explicit(&lock.half.next, 1, memory_order_relaxed);
  while (atomic_load_explicit(&lock.half.current, memory_order_acquire) != ticket) {
  }
}

static int try_acquire(void) {
#ifdef SPLIT
  // The halves one after the other, and then without a look at the lower one: another thread may have the lock by now.
  const uint16_t current = atomic_load_explicit(&lock.half.current, memory_order_relaxed);
  uint16_t next = current;
  return atomic_load_explicit(&lock.half.next, memory_order_relaxed) == current &&
         (atomic_store_explicit(&lock.half.next, next + 1, memory_order_relaxed), 1);
#else
  uint32_t old = atomic_load_explicit(&lock.word, memory_order_relaxed);
  if (old >> 16 != (old & 0xffff)) return 0;
  return atomic_compare_exchange_strong_explicit(&lock.word, &old, old + 0x10000, memory_order_acquire,
                                                 memory_order_relaxed);
#endif
}

static void release(void) {
  const uint16_t current = atomic_load_explicit(&lock.half.current, memory_order_relaxed);
  atomic_store_explicit(&lock.half.current, current + 1, memory_order_release);
}

static void *waits(void *unused) {
  acquire();
  counter++;
  release();
  return unused;
}

static void *tries(void *unused) {
  if (try_acquire()) {
    counter++;
    release();
  }
  return unused;
}

int main(void) {
  pthread_t a, b;
  pthread_create(&a, 0, waits, 0);
  pthread_create(&b, 0, tries, 0);
  pthread_join(a, 0);
  pthread_join(b, 0);
  assert(counter == lock.half.current);
  return 0;
}
