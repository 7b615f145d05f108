// error: 'work', a thread function with several parameters
// line: 13
// SPDX-License-Identifier: GPL-3.0-or-later
#include <pthread.h>

static void *work(void *a, void *b) {
  (void)b;
  return a;
}

int main(void) {
  pthread_t t;
  pthread_create(&t, (void *)0, (void *(*)(void *))work, (void *)0);
  return 0;
}
