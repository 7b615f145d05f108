// error: locking a mutex inside of an atomic section
// line: 11
// SPDX-License-Identifier: GPL-3.0-or-later
#include <fenceline.h>
#include <pthread.h>

pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;

int main(void) {
  fl_atomic_begin();
  pthread_mutex_lock(&mutex);
  fl_atomic_end();
  return 0;
}
