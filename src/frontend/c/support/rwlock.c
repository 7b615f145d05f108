// SPDX-License-Identifier: GPL-3.0-or-later
//
// Read-write locks: -1 while a thread writes, else the number of readers. No side is preferred.
#include <limits.h>
#include <time.h>

#define STATE(lock) ((int*)(void*)(lock))

int pthread_rwlock_init(pthread_rwlock_t* lock, const pthread_rwlockattr_t* attributes) {
  *STATE(lock) = 0;
  return 0;
}
int pthread_rwlock_destroy(pthread_rwlock_t* lock) { return 0; }

int pthread_rwlock_rdlock(pthread_rwlock_t* lock) {
  fl_take(STATE(lock), 0, INT_MAX, 1);
  return 0;
}
int pthread_rwlock_wrlock(pthread_rwlock_t* lock) {
  fl_take(STATE(lock), 0, 0, -1);
  return 0;
}
int pthread_rwlock_tryrdlock(pthread_rwlock_t* lock) {
  int state = get(STATE(lock));
  if (state < 0) return EBUSY;
  fl_replace(STATE(lock), state, state + 1);
  return 0;
}
int pthread_rwlock_trywrlock(pthread_rwlock_t* lock) {
  if (get(STATE(lock)) != 0) return EBUSY;
  fl_replace(STATE(lock), 0, -1);
  return 0;
}
// With a time limit: as in timed_mutex.c.
int pthread_rwlock_timedrdlock(pthread_rwlock_t* lock, const struct timespec* until) {
  return pthread_rwlock_tryrdlock(lock) == 0 ? 0 : ETIMEDOUT;
}
int pthread_rwlock_timedwrlock(pthread_rwlock_t* lock, const struct timespec* until) {
  return pthread_rwlock_trywrlock(lock) == 0 ? 0 : ETIMEDOUT;
}
int pthread_rwlock_clockrdlock(pthread_rwlock_t* lock, clockid_t clock, const struct timespec* until) {
  return pthread_rwlock_timedrdlock(lock, until);
}
int pthread_rwlock_clockwrlock(pthread_rwlock_t* lock, clockid_t clock, const struct timespec* until) {
  return pthread_rwlock_timedwrlock(lock, until);
}
int pthread_rwlock_unlock(pthread_rwlock_t* lock) {
  int state = get(STATE(lock));
  state = add_release(STATE(lock), state < 0 ? 1 : -1);
  fl_assert(state != 0);  // it is not held
  return 0;
}
