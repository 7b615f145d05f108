// error: the function 'pthread_mutexattr_setrobust'
// line: 9
// SPDX-License-Identifier: GPL-3.0-or-later
#include <pthread.h>
pthread_mutex_t m;
int main(void) {
  pthread_mutexattr_t a;
  pthread_mutexattr_init(&a);
  pthread_mutexattr_setrobust(&a, PTHREAD_MUTEX_ROBUST);
  pthread_mutex_init(&m, &a);
}
