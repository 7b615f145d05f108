// error: malloc
// line: 12
// SPDX-License-Identifier: GPL-3.0-or-later
#include <fenceline.h>
#include <pthread.h>
#include <stdlib.h>

int *values;

static void *thread(void *unused) {
  (void)unused;
  values = malloc((size_t)fl_nondet(1, 1000) * sizeof(int));
  return NULL;
}

int main(void) {
  pthread_t t;
  pthread_create(&t, NULL, thread, NULL);
  pthread_join(t, NULL);
  return 0;
}
