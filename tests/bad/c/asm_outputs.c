// error: the assembly "rdtsc"
// line: 12
// SPDX-License-Identifier: GPL-3.0-or-later
#include <fenceline.h>
#include <pthread.h>

unsigned x;

static void *thread(void *unused) {
  (void)unused;
  unsigned low, high;
  __asm__ volatile("rdtsc" : "=a"(low), "=d"(high));
  x = low ^ high;
  return NULL;
}

int main(void) {
  pthread_t t;
  pthread_create(&t, NULL, thread, NULL);
  pthread_join(t, NULL);
  return 0;
}
