// error: asm goto
// line: 11
// SPDX-License-Identifier: GPL-3.0-or-later
#include <fenceline.h>
#include <pthread.h>

int x;

static void *thread(void *unused) {
  (void)unused;
  __asm__ goto("jmp %l0" : : : : away);
  x = 1;
away:
  return NULL;
}

int main(void) {
  pthread_t t;
  pthread_create(&t, NULL, thread, NULL);
  pthread_join(t, NULL);
  return 0;
}
