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
  if (get(COUNT(semaphore)) == INT_MAX) {
    errno = EOVERFLOW;
    return -1;
  }
  int count = add_release(COUNT(semaphore), 1);
  fl_limit(count != INT_MAX, "Fenceline does not support posts of two threads that together reach SEM_VALUE_MAX");
  return 0;
}
int sem_wait(sem_t* semaphore) {
  fl_take(COUNT(semaphore), 1, INT_MAX, -1);
  return 0;
}
int sem_trywait(sem_t* semaphore) {
  int count = get(COUNT(semaphore));
  if (count == 0) {
    errno = EAGAIN;
    return -1;
  }
  fl_replace(COUNT(semaphore), count, count - 1);
  return 0;
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
