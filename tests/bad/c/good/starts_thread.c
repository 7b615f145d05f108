// SPDX-License-Identifier: GPL-3.0-or-later
#include <pthread.h>

static void *thread(void *unused) { return unused; }

void start(void) {
  pthread_t t;
  pthread_create(&t, (void *)0, thread, (void *)0);
}
