// error: setjmp
// line: 13
// SPDX-License-Identifier: GPL-3.0-or-later
#include <fenceline.h>
#include <pthread.h>
#include <setjmp.h>

jmp_buf back;
int x;

static void *thread(void *unused) {
  (void)unused;
  if (setjmp(back) == 0) {
    x = 1;
    longjmp(back, 1);
  }
  return NULL;
}

int main(void) {
  pthread_t t;
  pthread_create(&t, NULL, thread, NULL);
  pthread_join(t, NULL);
  return 0;
}
