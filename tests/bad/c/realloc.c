// error: 'realloc'
// line: 12
// SPDX-License-Identifier: GPL-3.0-or-later
#include <fenceline.h>
#include <pthread.h>
#include <stdlib.h>

int *values;

static void *thread(void *unused) {
  (void)unused;
  values = realloc(values, 8);
  return NULL;
}

int main(void) {
  pthread_t t;
  pthread_create(&t, NULL, thread, NULL);
  pthread_join(t, NULL);
  return 0;
}
