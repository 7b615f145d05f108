// error: starting threads in a loop
// line: 18
// SPDX-License-Identifier: GPL-3.0-or-later
#include <fenceline.h>
#include <pthread.h>

int n;

static void *thread(void *unused) {
  (void)unused;
  return NULL;
}

int main(void) {
  n = (int)fl_nondet(0, 1000000);
  for (int i = 0; i < n; i++) {
    pthread_t t;
    pthread_create(&t, NULL, thread, NULL);
  }
  return 0;
}
