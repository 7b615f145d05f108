// SPDX-License-Identifier: GPL-3.0-or-later
//
// Barriers: the last thread of a round begins the next one. Which of them is told that it is the special one is not
// defined by POSIX, so it may be any.
struct barrier {
  unsigned count, arrived, round, left, told;
};
#define BARRIER(barrier) ((struct barrier*)(void*)(barrier))

int pthread_barrier_init(pthread_barrier_t* barrier, const pthread_barrierattr_t* attributes, unsigned count) {
  if (count == 0) return EINVAL;
  struct barrier* b = BARRIER(barrier);
  b->count = count;
  b->arrived = 0;
  b->round = 0;
  b->left = 0;
  b->told = 0;
  return 0;
}
int pthread_barrier_destroy(pthread_barrier_t* barrier) { return 0; }

int pthread_barrier_wait(pthread_barrier_t* barrier) {
  struct barrier* b = BARRIER(barrier);
  unsigned count = b->count;
  release();
  fl_atomic_begin();
  unsigned round = get(&b->round), before = add(&b->arrived, 1);
  if (before + 1 == count) set(&b->arrived, 0);
  fl_atomic_end();
  acquire();  // the last one: what the others did before they arrived
  release();
  if (before + 1 == count) add(&b->round, 1);
  fl_atomic_begin();
  unsigned now = get(&b->round);
  fl_await(now != round);
  fl_atomic_end();
  acquire();
  int chosen = (int)fl_nondet(0, 1);
  fl_atomic_begin();
  unsigned left = add(&b->left, 1), told = get(&b->told);
  chosen = told == 0 && (chosen || left + 1 == count);
  if (left + 1 == count) {
    set(&b->left, 0);
    set(&b->told, 0);
  } else if (chosen) {
    set(&b->told, 1);
  }
  fl_atomic_end();
  return chosen ? PTHREAD_BARRIER_SERIAL_THREAD : 0;
}
