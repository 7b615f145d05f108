// error: computed goto
// line: 11
// SPDX-License-Identifier: GPL-3.0-or-later
#include <fenceline.h>
#include <pthread.h>

int x;

static void *thread(void *unused) {
  (void)unused;
  void *places[] = {&&one, &&two};
  goto *places[fl_nondet(0, 1)];
one:
  x = 1;
two:
  x = 2;
  return NULL;
}

int main(void) {
  pthread_t t;
  pthread_create(&t, NULL, thread, NULL);
  pthread_join(t, NULL);
  return 0;
}
