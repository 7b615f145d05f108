// error: recursion
// line: 9
// SPDX-License-Identifier: GPL-3.0-or-later
#include <fenceline.h>
#include <pthread.h>

int x;

static int factorial(int n) { return n == 0 ? 1 : n * factorial(n - 1); }

static void *thread(void *unused) {
  (void)unused;
  x = factorial((int)fl_nondet(0, 3));
  return NULL;
}

int main(void) {
  pthread_t t;
  pthread_create(&t, NULL, thread, NULL);
  pthread_join(t, NULL);
  return 0;
}
