// SPDX-License-Identifier: GPL-3.0-or-later
//
// Semaphores of POSIX. Each operation is a read-modify-write, so all posts are seen whose counts have been taken.
#include <limits.h>
#include <semaphore.h>
#include <time.h>

#define COUNT(semaphore) ((int*)(void*)(semaphore))

int sem_init(sem_t* semaphore, int shared, unsigned value) {
  *COUNT(semaphore) = (int)value;
  return 0;
}
int sem_destroy(sem_t* semaphore) { return 0; }
int sem_post(sem_t* semaphore) {
  release();
  fl_atomic_begin();
  int count = get(COUNT(semaphore));
  if (count < INT_MAX) add(COUNT(semaphore), 1);
  fl_atomic_end();
  if (count < INT_MAX) return 0;
  errno = EOVERFLOW;
  return -1;
}
int sem_wait(sem_t* semaphore) {
  fl_atomic_begin();
  int count = get(COUNT(semaphore));
  fl_await(count > 0);
  add(COUNT(semaphore), -1);
  fl_atomic_end();
  acquire();
  return 0;
}
int sem_trywait(sem_t* semaphore) {
  fl_atomic_begin();
  int count = get(COUNT(semaphore));
  if (count > 0) add(COUNT(semaphore), -1);
  fl_atomic_end();
  acquire();
  if (count > 0) return 0;
  errno = EAGAIN;
  return -1;
}
// As in timed_mutex.c.
int sem_timedwait(sem_t* semaphore, const struct timespec* until) {
  if (sem_trywait(semaphore) == 0) return 0;
  errno = ETIMEDOUT;
  return -1;
}
int sem_clockwait(sem_t* semaphore, clockid_t clock, const struct timespec* until) {
  return sem_timedwait(semaphore, until);
}
int sem_getvalue(sem_t* semaphore, int* value) {
  *value = get(COUNT(semaphore));
  return 0;
}
