// SPDX-License-Identifier: GPL-3.0-or-later
//
// Spin locks of POSIX: 1 while it is locked. They wait as mutexes do.
int pthread_spin_init(pthread_spinlock_t* lock, int shared) {
  *(int*)lock = 0;
  return 0;
}
int pthread_spin_destroy(pthread_spinlock_t* lock) { return 0; }
int pthread_spin_lock(pthread_spinlock_t* lock) {
  fl_atomic_begin();
  int held = get(lock);
  fl_await(held == 0);
  add(lock, 1);
  fl_atomic_end();
  acquire();
  return 0;
}
int pthread_spin_trylock(pthread_spinlock_t* lock) {
  fl_atomic_begin();
  int held = get(lock);
  if (held == 0) add(lock, 1);
  fl_atomic_end();
  acquire();
  return held == 0 ? 0 : EBUSY;
}
int pthread_spin_unlock(pthread_spinlock_t* lock) {
  release();
  fl_atomic_begin();
  int held = get(lock);
  fl_assert(held == 1);  // a lock is unlocked that is not locked
  add(lock, -1);
  fl_atomic_end();
  return 0;
}
