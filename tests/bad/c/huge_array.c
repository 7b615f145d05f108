// error: too large
// line: 7
// SPDX-License-Identifier: GPL-3.0-or-later
#include <fenceline.h>
#include <pthread.h>

int values[1 << 30];

static void *thread(void *unused) {
  (void)unused;
  values[fl_nondet(0, 1 << 29)] = 1;
  return NULL;
}

int main(void) {
  pthread_t t;
  pthread_create(&t, NULL, thread, NULL);
  pthread_join(t, NULL);
  return 0;
}
