// error: call through a pointer
// line: 18
// SPDX-License-Identifier: GPL-3.0-or-later
#include <fenceline.h>
#include <pthread.h>

int x;
void (*action)(void);

static void up(void) { x = x + 1; }
static void down(void) { x = x - 1; }

static void *thread(void *unused) {
  (void)unused;
  action = fl_nondet(0, 1) ? up : down;
  void (*call)(void) = action;
  call = (void (*)(void))((char *)call + fl_nondet(0, 8));
  call();
  return NULL;
}

int main(void) {
  pthread_t t;
  pthread_create(&t, NULL, thread, NULL);
  pthread_join(t, NULL);
  return 0;
}
