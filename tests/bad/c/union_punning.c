// error: another size
// line: 16
// SPDX-License-Identifier: GPL-3.0-or-later
#include <fenceline.h>
#include <pthread.h>

union word {
  unsigned whole;
  unsigned char bytes[4];
} word;
unsigned x;

static void *thread(void *unused) {
  (void)unused;
  word.whole = 0x01020304;
  x = word.bytes[2];
  return NULL;
}

int main(void) {
  pthread_t t;
  pthread_create(&t, NULL, thread, NULL);
  pthread_join(t, NULL);
  return 0;
}
