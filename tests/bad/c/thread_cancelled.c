// error: the function 'pthread_cancel'
// line: 9
// SPDX-License-Identifier: GPL-3.0-or-later
#include <pthread.h>
void* run(void* p) { return p; }
int main(void) {
  pthread_t t;
  pthread_create(&t, 0, run, 0);
  pthread_cancel(t);
  pthread_join(t, 0);
}
