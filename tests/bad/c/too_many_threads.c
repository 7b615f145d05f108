// error: more than 16 threads
// line: 9
// SPDX-License-Identifier: GPL-3.0-or-later
#include <pthread.h>

static void *thread(void *unused) {
  // Each one starts another.
  pthread_t t;
  pthread_create(&t, (void *)0, thread, (void *)0);
  return unused;
}

int main(void) {
  thread((void *)0);
  return 0;
}
