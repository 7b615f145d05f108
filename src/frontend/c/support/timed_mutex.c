// SPDX-License-Identifier: GPL-3.0-or-later
//
// Plain mutexes with a time limit: it may pass whenever another thread holds the mutex.
#include <threads.h>
#include <time.h>

int pthread_mutex_timedlock(pthread_mutex_t* mutex, const struct timespec* until) {
  if (pthread_mutex_trylock(mutex) == 0) return 0;
  return fl_nondet(0, 1) ? ETIMEDOUT : pthread_mutex_lock(mutex);
}
int pthread_mutex_clocklock(pthread_mutex_t* mutex, clockid_t clock, const struct timespec* until) {
  return pthread_mutex_timedlock(mutex, until);
}
int mtx_timedlock(mtx_t* mutex, const struct timespec* until) {
  if (mtx_trylock(mutex) == thrd_success) return thrd_success;
  return fl_nondet(0, 1) ? thrd_timedout : mtx_lock(mutex);
}
