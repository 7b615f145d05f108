// SPDX-License-Identifier: GPL-3.0-or-later
//
// One thread writes data and sets a flag; N threads read the flag once, and the data if it is set: 2^N executions.
//
// Asserted: a thread that saw the flag sees the data.
#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stddef.h>

#ifndef N
#define N 2
#endif

static int data;
static atomic_int flag;

static void* writer(void* unused) {
  (void)unused;
  data = 1;
  atomic_store_explicit(&flag, 1, memory_order_release);
  return NULL;
}

static void* reader(void* unused) {
  (void)unused;
  if (atomic_load_explicit(&flag, memory_order_acquire)) assert(data == 1);
  return NULL;
}

int main(void) {
  pthread_t threads[N + 1];
  pthread_create(&threads[N], NULL, writer, NULL);
  for (int i = 0; i < N; i++) pthread_create(&threads[i], NULL, reader, NULL);
  for (int i = 0; i <= N; i++) pthread_join(threads[i], NULL);
  return 0;
}
