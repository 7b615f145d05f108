// error: a mutex of another kind than the plain one
// line: 11
// SPDX-License-Identifier: GPL-3.0-or-later
#include <pthread.h>

pthread_mutex_t mutex;

int main(void) {
  pthread_mutexattr_t *recursive = (pthread_mutexattr_t *)&mutex;
  (void)recursive;
  pthread_mutex_init(&mutex, recursive);
  pthread_mutex_lock(&mutex);
  pthread_mutex_lock(&mutex);
  return 0;
}
