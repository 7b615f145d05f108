// error: a fence of the kind "store-all"
// line: 9
// SPDX-License-Identifier: GPL-3.0-or-later
#include <fenceline.h>
#include <pthread.h>

static void *thread(void *unused) {
  (void)unused;
  fl_fence("store-all");
  return NULL;
}

int main(void) {
  pthread_t t;
  pthread_create(&t, NULL, thread, NULL);
  pthread_join(t, NULL);
  return 0;
}
