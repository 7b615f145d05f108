// error: part of
// line: 14
// SPDX-License-Identifier: GPL-3.0-or-later
#include <fenceline.h>
#include <pthread.h>
#include <string.h>

struct pair {
  int a, b;
} p, q;

static void *thread(void *unused) {
  (void)unused;
  memcpy(&p, &q, 6);
  return NULL;
}

int main(void) {
  pthread_t t;
  pthread_create(&t, NULL, thread, NULL);
  pthread_join(t, NULL);
  return 0;
}
