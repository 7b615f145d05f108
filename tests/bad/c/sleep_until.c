// error: 'nanosleep'
// line: 11
// SPDX-License-Identifier: GPL-3.0-or-later
#include <fenceline.h>
#include <pthread.h>
#include <time.h>

static void *thread(void *unused) {
  (void)unused;
  struct timespec wait = {0, 1000};
  nanosleep(&wait, 0);
  return NULL;
}

int main(void) {
  pthread_t t;
  pthread_create(&t, NULL, thread, NULL);
  pthread_join(t, NULL);
  return 0;
}
