// error: bit field
// line: 14
// SPDX-License-Identifier: GPL-3.0-or-later
#include <fenceline.h>
#include <pthread.h>

struct flags {
  unsigned ready : 1;
  unsigned count : 7;
} flags;

static void *thread(void *unused) {
  (void)unused;
  flags.ready = 1;
  return NULL;
}

int main(void) {
  pthread_t t;
  pthread_create(&t, NULL, thread, NULL);
  pthread_join(t, NULL);
  return 0;
}
