// SPDX-License-Identifier: GPL-3.0-or-later
//
// Condition variables of POSIX and C11. A signal is one step, and so is joining the threads that wait; the mutex orders
// everything else. Waiting may end without a signal; with a time limit it may end at any time, whatever the clock says.
#include <threads.h>
#include <time.h>

#define QUEUE(condition) ((struct fl_queue*)(void*)(condition))

static int wait_for(struct fl_queue* queue, pthread_mutex_t* mutex, int can_give_up) {
  fl_queue_join(queue);
  pthread_mutex_unlock(mutex);
  int gives_up = fl_queue_wait(queue, can_give_up);
  pthread_mutex_lock(mutex);
  return gives_up;
}

static int wait_for_c11(struct fl_queue* queue, mtx_t* mutex, int can_give_up) {
  fl_queue_join(queue);
  mtx_unlock(mutex);
  int gives_up = fl_queue_wait(queue, can_give_up);
  mtx_lock(mutex);
  return gives_up;
}

static void clear(struct fl_queue* queue) {
  queue->waiting = 0;
  queue->spurious = 0;
}

int pthread_cond_init(pthread_cond_t* condition, const pthread_condattr_t* attributes) {
  clear(QUEUE(condition));
  return 0;
}
int pthread_cond_destroy(pthread_cond_t* condition) { return 0; }
int pthread_cond_wait(pthread_cond_t* condition, pthread_mutex_t* mutex) {
  wait_for(QUEUE(condition), mutex, 0);
  return 0;
}
int pthread_cond_timedwait(pthread_cond_t* condition, pthread_mutex_t* mutex, const struct timespec* until) {
  return wait_for(QUEUE(condition), mutex, 1) ? ETIMEDOUT : 0;
}
int pthread_cond_clockwait(pthread_cond_t* condition, pthread_mutex_t* mutex, clockid_t clock,
                           const struct timespec* until) {
  return wait_for(QUEUE(condition), mutex, 1) ? ETIMEDOUT : 0;
}
int pthread_cond_signal(pthread_cond_t* condition) {
  fl_queue_signal(QUEUE(condition));
  return 0;
}
int pthread_cond_broadcast(pthread_cond_t* condition) {
  fl_queue_broadcast(QUEUE(condition));
  return 0;
}

int cnd_init(cnd_t* condition) {
  clear(QUEUE(condition));
  return thrd_success;
}
void cnd_destroy(cnd_t* condition) {}
int cnd_wait(cnd_t* condition, mtx_t* mutex) {
  wait_for_c11(QUEUE(condition), mutex, 0);
  return thrd_success;
}
int cnd_timedwait(cnd_t* condition, mtx_t* mutex, const struct timespec* until) {
  return wait_for_c11(QUEUE(condition), mutex, 1) ? thrd_timedout : thrd_success;
}
int cnd_signal(cnd_t* condition) {
  fl_queue_signal(QUEUE(condition));
  return thrd_success;
}
int cnd_broadcast(cnd_t* condition) {
  fl_queue_broadcast(QUEUE(condition));
  return thrd_success;
}
