// error: 'do_something'
// line: 12
// SPDX-License-Identifier: GPL-3.0-or-later
#include <fenceline.h>
#include <pthread.h>

int x;
int do_something(int *);

static void *thread(void *unused) {
  (void)unused;
  x = do_something(&x);
  return NULL;
}

int main(void) {
  pthread_t t;
  pthread_create(&t, NULL, thread, NULL);
  pthread_join(t, NULL);
  return 0;
}
