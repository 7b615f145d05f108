// error: not aligned
// line: 14
// SPDX-License-Identifier: GPL-3.0-or-later
#include <fenceline.h>
#include <pthread.h>

struct __attribute__((packed)) mixed {
  char c;
  int i;
} m;

static void *thread(void *unused) {
  (void)unused;
  m.i = 1;
  return NULL;
}

int main(void) {
  pthread_t t;
  pthread_create(&t, NULL, thread, NULL);
  pthread_join(t, NULL);
  return 0;
}
