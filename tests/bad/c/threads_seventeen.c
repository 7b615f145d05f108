// error: more than 16 threads
// line: 15
// SPDX-License-Identifier: GPL-3.0-or-later
#include <pthread.h>

int threads = 17;

static void *thread(void *unused) {
  return unused;
}

int main(void) {
  pthread_t t[17];
  for (int i = 0; i < threads; i++) {
    pthread_create(&t[i], NULL, thread, NULL);
  }
  return 0;
}
