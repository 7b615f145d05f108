// SPDX-License-Identifier: GPL-3.0-or-later
//
// Spin locks of POSIX: 1 while it is locked. They wait as mutexes do. Unlocking is a store, so on TSO it is no fence.
int pthread_spin_init(pthread_spinlock_t* lock, int shared) {
  *(int*)lock = 0;
  return 0;
}
int pthread_spin_destroy(pthread_spinlock_t* lock) { return 0; }
int pthread_spin_lock(pthread_spinlock_t* lock) { return fl_mutex_lock((int*)lock); }
int pthread_spin_trylock(pthread_spinlock_t* lock) { return fl_spin_try_lock((int*)lock); }
int pthread_spin_unlock(pthread_spinlock_t* lock) { return fl_spin_unlock((int*)lock); }
