// error: another size
// line: 13
// SPDX-License-Identifier: GPL-3.0-or-later
#include <fenceline.h>
#include <pthread.h>

long number;
short x;

static void *thread(void *unused) {
  (void)unused;
  number = 5;
  x = *(short *)&number;
  return NULL;
}

int main(void) {
  pthread_t t;
  pthread_create(&t, NULL, thread, NULL);
  pthread_join(t, NULL);
  return 0;
}
