// SPDX-License-Identifier: GPL-3.0-or-later
//
// Mutexes with a kind of their own (recursive, error checking), for programs that set one: the first member is what
// plain mutexes have too, 1 while it is locked; owner and depth are written by the owner alone.
#include <threads.h>
#include <time.h>

struct mutex {
  int held;
  unsigned depth;
  int owner, unused, kind;
};
#define MUTEX(mutex) ((struct mutex*)(void*)(mutex))

int pthread_mutexattr_init(pthread_mutexattr_t* attributes) {
  *(int*)(void*)attributes = PTHREAD_MUTEX_NORMAL;
  return 0;
}
int pthread_mutexattr_destroy(pthread_mutexattr_t* attributes) { return 0; }
int pthread_mutexattr_settype(pthread_mutexattr_t* attributes, int kind) {
  if (kind != PTHREAD_MUTEX_NORMAL && kind != PTHREAD_MUTEX_RECURSIVE && kind != PTHREAD_MUTEX_ERRORCHECK) return EINVAL;
  *(int*)(void*)attributes = kind;
  return 0;
}
int pthread_mutexattr_gettype(const pthread_mutexattr_t* attributes, int* kind) {
  *kind = *(const int*)(const void*)attributes;
  return 0;
}

static void clear(struct mutex* mutex, int kind) {
  mutex->held = 0;
  mutex->depth = 0;
  mutex->owner = 0;
  mutex->kind = kind;
}

static int is_owner(struct mutex* mutex) { return get(&mutex->owner) == (int)fl_thread_self(); }

static void own(struct mutex* mutex) {
  set(&mutex->owner, (int)fl_thread_self());
  mutex->depth = 1;
}

static int lock(struct mutex* mutex) {
  int kind = mutex->kind;
  if ((kind == PTHREAD_MUTEX_RECURSIVE || kind == PTHREAD_MUTEX_ERRORCHECK) && is_owner(mutex)) {
    if (kind == PTHREAD_MUTEX_ERRORCHECK) return EDEADLK;
    mutex->depth++;
    return 0;
  }
  fl_mutex_lock(&mutex->held);
  own(mutex);
  return 0;
}

static int try_lock(struct mutex* mutex) {
  if (mutex->kind == PTHREAD_MUTEX_RECURSIVE && is_owner(mutex)) {
    mutex->depth++;
    return 0;
  }
  if (fl_mutex_try_lock(&mutex->held) != 0) return EBUSY;
  own(mutex);
  return 0;
}

// As in timed_mutex.c.
static int timed_lock(struct mutex* mutex) {
  if (mutex->kind == PTHREAD_MUTEX_ERRORCHECK && is_owner(mutex)) return EDEADLK;
  return try_lock(mutex) == 0 ? 0 : ETIMEDOUT;
}

static int unlock(struct mutex* mutex) {
  if (mutex->kind == PTHREAD_MUTEX_ERRORCHECK && !is_owner(mutex)) return EPERM;
  fl_assert(is_owner(mutex));  // a mutex is unlocked that this thread has not locked
  if (--mutex->depth != 0) return 0;
  set(&mutex->owner, 0);
  add_release(&mutex->held, -1);
  return 0;
}

int pthread_mutex_init(pthread_mutex_t* mutex, const pthread_mutexattr_t* attributes) {
  clear(MUTEX(mutex), attributes ? *(const int*)(const void*)attributes : PTHREAD_MUTEX_NORMAL);
  return 0;
}
int pthread_mutex_destroy(pthread_mutex_t* mutex) { return 0; }
int pthread_mutex_lock(pthread_mutex_t* mutex) { return lock(MUTEX(mutex)); }
int pthread_mutex_trylock(pthread_mutex_t* mutex) { return try_lock(MUTEX(mutex)); }
int pthread_mutex_timedlock(pthread_mutex_t* mutex, const struct timespec* until) { return timed_lock(MUTEX(mutex)); }
int pthread_mutex_clocklock(pthread_mutex_t* mutex, clockid_t clock, const struct timespec* until) {
  return timed_lock(MUTEX(mutex));
}
int pthread_mutex_unlock(pthread_mutex_t* mutex) { return unlock(MUTEX(mutex)); }
