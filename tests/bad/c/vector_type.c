// error: vector
// line: 12
// SPDX-License-Identifier: GPL-3.0-or-later
#include <fenceline.h>
#include <pthread.h>

typedef int four __attribute__((vector_size(16)));
four v;

static void *thread(void *unused) {
  (void)unused;
  v = v + v;
  return NULL;
}

int main(void) {
  pthread_t t;
  pthread_create(&t, NULL, thread, NULL);
  pthread_join(t, NULL);
  return 0;
}
