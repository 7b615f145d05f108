// SPDX-License-Identifier: GPL-3.0-or-later
//
// Readers-writer lock of one word, as Linux has it for machines with load-linked and store-conditional: the
// number of readers, or -1 while there is a writer. A thread that cannot enter changes nothing.
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

static atomic_int word;

static void read_lock(void) {
  int readers;
  do {
    while ((readers = atomic_load_explicit(&word, memory_order_relaxed)) < 0) {
    }
  } while (!atomic_compare_exchange_strong_explicit(&word, &readers, readers + 1, memory_order_acquire,
                                                    memory_order_relaxed));
}

static void read_unlock(void) { atomic_fetch_sub_explicit(&word, 1, memory_order_release); }

static void write_lock(void) {
  int idle;
  do {
    while (atomic_load_explicit(&word, memory_order_relaxed) != 0) {
    }
    idle = 0;
  } while (
      !atomic_compare_exchange_strong_explicit(&word, &idle, -1, memory_order_acquire, memory_order_relaxed));
}

static void write_unlock(void) { atomic_store_explicit(&word, 0, memory_order_release); }

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
