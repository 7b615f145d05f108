// SPDX-License-Identifier: GPL-3.0-or-later
//
// Readers-writer lock of one word, as Linux had it for x86: a reader takes 1 from the word, a writer all of it.
// A thread that took too much gives it back, waits until there is enough, and tries again; so iterations that
// fail have effects, and other threads can fail because of them.
// N threads read the data once under the lock, then increment them once under the lock.
//
// Asserted: the data do not change while a thread reads; they are N at the end.
#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stddef.h>

#ifndef N
#define N 2
#endif

enum { kAll = 0x100000 };

static atomic_int word = kAll;

static void read_lock(void) {
  while (atomic_fetch_sub_explicit(&word, 1, memory_order_acquire) <= 0) {
    atomic_fetch_add_explicit(&word, 1, memory_order_relaxed);
    while (atomic_load_explicit(&word, memory_order_relaxed) <= 0) {
    }
  }
}

static void read_unlock(void) { atomic_fetch_add_explicit(&word, 1, memory_order_release); }

static void write_lock(void) {
  while (atomic_fetch_sub_explicit(&word, kAll, memory_order_acquire) != kAll) {
    atomic_fetch_add_explicit(&word, kAll, memory_order_relaxed);
    while (atomic_load_explicit(&word, memory_order_relaxed) != kAll) {
    }
  }
}

static void write_unlock(void) { atomic_fetch_add_explicit(&word, kAll, memory_order_release); }

static int data;

static void* worker(void* unused) {
  (void)unused;
  read_lock();
  const int before = data;
  assert(before == data);
  read_unlock();
  write_lock();
  data = data + 1;
  write_unlock();
  return NULL;
}

int main(void) {
  pthread_t threads[N];
  for (int i = 0; i < N; i++) pthread_create(&threads[i], NULL, worker, NULL);
  for (int i = 0; i < N; i++) pthread_join(threads[i], NULL);
  assert(data == N);
  return 0;
}
