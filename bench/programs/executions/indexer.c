// SPDX-License-Identifier: GPL-3.0-or-later
//
// A hash table with open addressing into which threads insert by compare-and-exchange (after Flanagan and
// Godefroid 2005). Each of N threads inserts four keys. Those of the first eleven threads do not collide; each
// further thread has three keys of another one, so that there are 8^(N-11) executions.
//
// Asserted: at the end every key is in the table.
#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stddef.h>
#include <stdint.h>

#ifndef N
#define N 2
#endif

enum { kSize = 128, kKeys = 4 };

static atomic_int table[kSize];

static int key_of(int thread, int number) { return (number + 1) * 11 + thread; }
static int hash(int key) { return key * 7 % kSize; }

static void insert(int key) {
  for (int i = hash(key);; i = (i + 1) % kSize) {
    int empty = 0;
    if (atomic_compare_exchange_strong_explicit(&table[i], &empty, key, memory_order_release,
                                                memory_order_relaxed))
      return;
  }
}

static int contains(int key) {
  for (int i = hash(key);; i = (i + 1) % kSize) {
    const int found = atomic_load_explicit(&table[i], memory_order_acquire);
    if (found == key || found == 0) return found == key;
  }
}

static void* worker(void* argument) {
  for (int i = 0; i < kKeys; i++) insert(key_of((int)(intptr_t)argument, i));
  return NULL;
}

int main(void) {
  pthread_t threads[N];
  for (int i = 0; i < N; i++) pthread_create(&threads[i], NULL, worker, (void*)(intptr_t)i);
  for (int i = 0; i < N; i++) pthread_join(threads[i], NULL);
  for (int i = 0; i < N; i++)
    for (int number = 0; number < kKeys; number++) assert(contains(key_of(i, number)));
  return 0;
}
