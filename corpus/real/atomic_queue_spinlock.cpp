// SPDX-License-Identifier: GPL-3.0-or-later
//
// atomic_queue: the lock that is one of pthreads. SPLIT_LOCK: one of pthreads that is a load and a store.
//
// expect sc tso armv8 rc11: verified
// expect sc tso armv8 rc11, define SPLIT_LOCK: violated
#include "cpp_client.h"
//
#include <pthread.h>

#ifdef SPLIT_LOCK
static inline int split_spin_lock(pthread_spinlock_t* lock) {
  while (__atomic_load_n(lock, __ATOMIC_ACQUIRE) != 0) {
  }
  __atomic_store_n(lock, 1, __ATOMIC_RELAXED);
  return 0;
}
static inline int split_spin_unlock(pthread_spinlock_t* lock) {
  __atomic_store_n(lock, 0, __ATOMIC_RELEASE);
  return 0;
}
#define pthread_spin_lock split_spin_lock
#define pthread_spin_unlock split_spin_unlock
#endif
//
#include <atomic_queue/spinlock.h>

static atomic_queue::Spinlock spinlock;

static void init_lock() {}

static void lock(int thread) {
  (void)thread;
  spinlock.lock();
}

static void unlock(int thread) {
  (void)thread;
  spinlock.unlock();
}

#include "mutual_exclusion.h"
