// error: an array whose size is not a constant
// line: 12
// SPDX-License-Identifier: GPL-3.0-or-later
#include <fenceline.h>
#include <pthread.h>

int x;

static void *thread(void *unused) {
  (void)unused;
  int n = (int)fl_nondet(1, 1000);
  int values[n];
  values[n - 1] = 1;
  x = values[n - 1];
  return NULL;
}

int main(void) {
  pthread_t t;
  pthread_create(&t, NULL, thread, NULL);
  pthread_join(t, NULL);
  return 0;
}
