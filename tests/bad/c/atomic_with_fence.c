// error: a fence inside of an atomic section
// line: 13
// SPDX-License-Identifier: GPL-3.0-or-later
#include <fenceline.h>
#include <pthread.h>

int x;

static void *thread(void *unused) {
  (void)unused;
  fl_atomic_begin();
  x = 1;
  fl_fence("full");
  fl_atomic_end();
  return NULL;
}

int main(void) {
  pthread_t t;
  pthread_create(&t, NULL, thread, NULL);
  pthread_join(t, NULL);
  return 0;
}
