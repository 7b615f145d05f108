// SPDX-License-Identifier: GPL-3.0-or-later
//
// Read-write locks: -1 while a thread writes, else the number of readers. No side is preferred.
#include <time.h>

#define STATE(lock) ((int*)(void*)(lock))

int pthread_rwlock_init(pthread_rwlock_t* lock, const pthread_rwlockattr_t* attributes) {
  *STATE(lock) = 0;
  return 0;
}
int pthread_rwlock_destroy(pthread_rwlock_t* lock) { return 0; }

int pthread_rwlock_rdlock(pthread_rwlock_t* lock) {
  fl_atomic_begin();
  int state = get(STATE(lock));
  fl_await(state >= 0);
  add(STATE(lock), 1);
  fl_atomic_end();
  acquire();
  return 0;
}
int pthread_rwlock_wrlock(pthread_rwlock_t* lock) {
  fl_atomic_begin();
  int state = get(STATE(lock));
  fl_await(state == 0);
  add(STATE(lock), -1);
  fl_atomic_end();
  acquire();
  return 0;
}
int pthread_rwlock_tryrdlock(pthread_rwlock_t* lock) {
  fl_atomic_begin();
  int state = get(STATE(lock));
  if (state >= 0) add(STATE(lock), 1);
  fl_atomic_end();
  acquire();
  return state >= 0 ? 0 : EBUSY;
}
int pthread_rwlock_trywrlock(pthread_rwlock_t* lock) {
  fl_atomic_begin();
  int state = get(STATE(lock));
  if (state == 0) add(STATE(lock), -1);
  fl_atomic_end();
  acquire();
  return state == 0 ? 0 : EBUSY;
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
  release();
  fl_atomic_begin();
  int state = get(STATE(lock));
  fl_assert(state != 0);  // it is not held
  add(STATE(lock), state < 0 ? 1 : -1);
  fl_atomic_end();
  return 0;
}
