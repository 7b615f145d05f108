// error: starting threads in a loop whose number of iterations is not a constant: it depends on 'readers'
// line: 18
// SPDX-License-Identifier: GPL-3.0-or-later
#include <pthread.h>

int readers = 2;

static void *thread(void *unused) {
  (void)unused;
  readers++;
  return NULL;
}

int main(void) {
  pthread_t t;
  pthread_create(&t, NULL, thread, NULL);
  for (int i = 0; i < readers; i++) {
    pthread_create(&t, NULL, thread, NULL);
  }
  return 0;
}
