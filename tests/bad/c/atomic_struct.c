// error: integers of 128 bits
// line: 16
// SPDX-License-Identifier: GPL-3.0-or-later
#include <fenceline.h>
#include <pthread.h>
#include <stdatomic.h>

struct pair {
  long a, b;
};
_Atomic struct pair p;

static void *thread(void *unused) {
  (void)unused;
  struct pair q = {1, 2};
  p = q;
  return NULL;
}

int main(void) {
  pthread_t t;
  pthread_create(&t, NULL, thread, NULL);
  pthread_join(t, NULL);
  return 0;
}
