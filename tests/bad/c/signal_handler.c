// error: 'signal'
// line: 14
// SPDX-License-Identifier: GPL-3.0-or-later
#include <fenceline.h>
#include <pthread.h>
#include <signal.h>

volatile sig_atomic_t stopped;

static void handler(int number) { stopped = number; }

static void *thread(void *unused) {
  (void)unused;
  signal(SIGINT, handler);
  return NULL;
}

int main(void) {
  pthread_t t;
  pthread_create(&t, NULL, thread, NULL);
  pthread_join(t, NULL);
  return 0;
}
