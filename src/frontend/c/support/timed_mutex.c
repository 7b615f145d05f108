// SPDX-License-Identifier: GPL-3.0-or-later
//
// Plain mutexes with a time limit: it may pass whenever another thread holds the mutex. Waiting for the mutex is not to
// be scheduled until it is free or the time has passed, so all that is left is one try.
#include <threads.h>
#include <time.h>

int pthread_mutex_timedlock(pthread_mutex_t* mutex, const struct timespec* until) {
  return pthread_mutex_trylock(mutex) == 0 ? 0 : ETIMEDOUT;
}
int pthread_mutex_clocklock(pthread_mutex_t* mutex, clockid_t clock, const struct timespec* until) {
  return pthread_mutex_timedlock(mutex, until);
}
int mtx_timedlock(mtx_t* mutex, const struct timespec* until) {
  return mtx_trylock(mutex) == thrd_success ? thrd_success : thrd_timedout;
}
