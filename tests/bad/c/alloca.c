// error: alloca
// line: 11
// SPDX-License-Identifier: GPL-3.0-or-later
#include <fenceline.h>
#include <pthread.h>

int x;

static void *thread(void *unused) {
  (void)unused;
  int *values = __builtin_alloca((unsigned long)fl_nondet(4, 1000));
  values[0] = 1;
  x = values[0];
  return NULL;
}

int main(void) {
  pthread_t t;
  pthread_create(&t, NULL, thread, NULL);
  pthread_join(t, NULL);
  return 0;
}
