// error: a thread whose function is not known
// line: 11
// SPDX-License-Identifier: GPL-3.0-or-later
#include <fenceline.h>
#include <pthread.h>

void *(*start)(void *);

int main(void) {
  pthread_t t;
  pthread_create(&t, NULL, start, NULL);
  pthread_join(t, NULL);
  return 0;
}
