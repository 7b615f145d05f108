// error: address
// line: 13
// SPDX-License-Identifier: GPL-3.0-or-later
#include <fenceline.h>
#include <pthread.h>
#include <stdint.h>

int x;
int table[16];

static void *thread(void *unused) {
  (void)unused;
  table[((uintptr_t)&x >> 4) & 15] = 1;
  return NULL;
}

int main(void) {
  pthread_t t;
  pthread_create(&t, NULL, thread, NULL);
  pthread_join(t, NULL);
  return 0;
}
