// error: fl_fence
// line: 11
// SPDX-License-Identifier: GPL-3.0-or-later
#include <fenceline.h>
#include <pthread.h>

const char *kinds[2] = {"load-load", "store-store"};

static void *thread(void *unused) {
  (void)unused;
  fl_fence(kinds[fl_nondet(0, 1)]);
  return NULL;
}

int main(void) {
  pthread_t t;
  pthread_create(&t, NULL, thread, NULL);
  pthread_join(t, NULL);
  return 0;
}
