// SPDX-License-Identifier: GPL-3.0-or-later
//
// Two threads count under a mutex. What one did before it gave the mutex back is seen by who takes it then.
// With OUTSIDE, one says behind its unlock that it has counted, and the other relies on that without the
// mutex: what comes behind an unlock may happen before it, and before what the mutex protects.
//
// expect sc tso pso relaxed armv8 power riscv rc11: verified
// expect sc tso, define OUTSIDE: verified
// expect armv8 riscv rc11, define OUTSIDE: violated
#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>

pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
atomic_int count, said;

static void add_one(void) {
  pthread_mutex_lock(&mutex);
  const int before = atomic_load_explicit(&count, memory_order_relaxed);
  atomic_store_explicit(&count, before + 1, memory_order_relaxed);
  pthread_mutex_unlock(&mutex);
}

void* first(void* unused) {
  add_one();
  atomic_store_explicit(&said, 1, memory_order_relaxed);
  return unused;
}

void* second(void* unused) {
#ifdef OUTSIDE
  if (atomic_load_explicit(&said, memory_order_acquire))
    assert(atomic_load_explicit(&count, memory_order_relaxed) == 1);
#else
  add_one();
#endif
  return unused;
}

int main(void) {
  pthread_t threads[2];
  pthread_create(&threads[0], 0, first, 0);
  pthread_create(&threads[1], 0, second, 0);
  pthread_join(threads[0], 0);
  pthread_join(threads[1], 0);
#ifndef OUTSIDE
  assert(atomic_load_explicit(&count, memory_order_relaxed) == 2);
#endif
  return 0;
}
