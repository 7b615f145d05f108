// SPDX-License-Identifier: GPL-3.0-or-later
//
// Sequence lock: the writer makes the number odd, writes, and makes it even again; a reader that saw the same
// even number before and after has read data that belong together, otherwise it reads again.
// One writer writes twice; N threads read once.
//
// Asserted: both halves of what a thread has read are of the same write.
#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stddef.h>

#ifndef N
#define N 2
#endif

static atomic_int sequence;
static atomic_int first_half, second_half;

static void update(int value) {
  const int number = atomic_load_explicit(&sequence, memory_order_relaxed);
  atomic_store_explicit(&sequence, number + 1, memory_order_relaxed);
  atomic_thread_fence(memory_order_release);
  atomic_store_explicit(&first_half, value, memory_order_relaxed);
  atomic_store_explicit(&second_half, value, memory_order_relaxed);
  atomic_store_explicit(&sequence, number + 2, memory_order_release);
}

static void* writer(void* unused) {
  (void)unused;
  update(1);
  update(2);
  return NULL;
}

static void* reader(void* unused) {
  (void)unused;
  int before, after, one, two;
  do {
    while ((before = atomic_load_explicit(&sequence, memory_order_acquire)) % 2 != 0) {
    }
    one = atomic_load_explicit(&first_half, memory_order_relaxed);
    two = atomic_load_explicit(&second_half, memory_order_relaxed);
    atomic_thread_fence(memory_order_acquire);
    after = atomic_load_explicit(&sequence, memory_order_relaxed);
  } while (before != after);
  assert(one == two);
  return NULL;
}

int main(void) {
  pthread_t threads[N + 1];
  pthread_create(&threads[N], NULL, writer, NULL);
  for (int i = 0; i < N; i++) pthread_create(&threads[i], NULL, reader, NULL);
  for (int i = 0; i <= N; i++) pthread_join(threads[i], NULL);
  return 0;
}
