// Mutexes with a kind: a recursive one can be locked again by its owner, one that checks for errors reports that. With
// NORMAL the second lock waits for ever. FOREIGN unlocks what another thread holds. Time limits may pass. With CROSSED,
// two threads lock two mutexes in different orders, one of them with a time limit.
//
// expect sc tso armv8 rc11: verified
// expect sc tso, property deadlock: verified
// expect sc, define NORMAL, property deadlock: violated
// expect sc tso armv8 rc11, define FOREIGN: violated
// expect sc tso armv8 rc11, define TIMED: violated
// expect sc tso, define CROSSED, property deadlock: verified
#include <assert.h>
#include <errno.h>
#include <pthread.h>
#include <time.h>

pthread_mutex_t mutex, checking;
int counter;

void increment(void) {
  pthread_mutex_lock(&mutex);
  counter++;
  pthread_mutex_unlock(&mutex);
}

void* thread(void* unused) {
#ifdef CROSSED
  struct timespec until = {1, 0};
  pthread_mutex_lock(&mutex);
  if (pthread_mutex_timedlock(&checking, &until) == 0) pthread_mutex_unlock(&checking);
  pthread_mutex_unlock(&mutex);
#elif defined FOREIGN
  pthread_mutex_unlock(&mutex);
#elif defined TIMED
  struct timespec until = {1, 0};
  assert(pthread_mutex_timedlock(&mutex, &until) == 0);
  pthread_mutex_unlock(&mutex);
#else
  assert(pthread_mutex_unlock(&checking) == EPERM);
#endif
  pthread_mutex_lock(&mutex);
  increment();
  counter++;
  pthread_mutex_unlock(&mutex);
  return 0;
}

int main() {
  pthread_mutexattr_t kind;
  pthread_mutexattr_init(&kind);
#ifndef NORMAL
  pthread_mutexattr_settype(&kind, PTHREAD_MUTEX_RECURSIVE);
#endif
  pthread_mutex_init(&mutex, &kind);
  pthread_mutexattr_settype(&kind, PTHREAD_MUTEX_ERRORCHECK);
  pthread_mutex_init(&checking, &kind);
  pthread_mutex_lock(&checking);
  assert(pthread_mutex_lock(&checking) == EDEADLK);
  pthread_t other;
  pthread_create(&other, 0, thread, 0);
  pthread_mutex_lock(&mutex);
  increment();
  pthread_mutex_unlock(&mutex);
  pthread_join(other, 0);
  assert(counter == 3);
  assert(pthread_mutex_unlock(&checking) == 0);
}
