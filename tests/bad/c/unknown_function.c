// error: 'fopen'
// line: 12
// SPDX-License-Identifier: GPL-3.0-or-later
#include <fenceline.h>
#include <pthread.h>
#include <stdio.h>

FILE *file;

static void *thread(void *unused) {
  (void)unused;
  file = fopen("data", "r");
  return NULL;
}

int main(void) {
  pthread_t t;
  pthread_create(&t, NULL, thread, NULL);
  pthread_join(t, NULL);
  return 0;
}
