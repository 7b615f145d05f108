// SPDX-License-Identifier: GPL-3.0-or-later
//
// Barriers: the threads that have ever arrived are counted, so each knows how many there are when its round is complete,
// also if more threads take part than the barrier is for. Which of them is told that it is the special one is not defined
// by POSIX, so it may be any.
struct barrier {
  int arrived;  // twice their number, and 1 more while one of an incomplete round is to be told
  int count;
};
#define BARRIER(barrier) ((struct barrier*)(void*)(barrier))

int pthread_barrier_init(pthread_barrier_t* barrier, const pthread_barrierattr_t* attributes, unsigned count) {
  if (count == 0) return EINVAL;
  struct barrier* b = BARRIER(barrier);
  b->count = count < 1U << 29 ? (int)count : 1 << 29;  // more than there are threads
  b->arrived = 0;
  return 0;
}
int pthread_barrier_destroy(pthread_barrier_t* barrier) { return 0; }

// Only threads that arrive write: who reads one of their numbers sees what all those up to it did before.
static int arrive(int* arrived, int count, int* chosen) {
  int before = get(arrived), told = before % 2;
  const int number = before / 2 + 1, is_last = number % count == 0;
  *chosen = !told && (is_last || fl_nondet(0, 1));
  const int after = 2 * number + (!is_last && (told || *chosen));
  fl_guess(__atomic_compare_exchange_n(arrived, &before, after, 0, __ATOMIC_RELEASE, __ATOMIC_RELAXED));
  return number;
}

int pthread_barrier_wait(pthread_barrier_t* barrier) {
  struct barrier* b = BARRIER(barrier);
  const int count = b->count;
  int chosen;
  const int number = arrive(&b->arrived, count, &chosen);
  const int complete = number + (count - number % count) % count;
  fl_atomic_begin();
  int arrived = get(&b->arrived);
  fl_await(arrived / 2 >= complete);
  fl_atomic_end();
  get_acquire(&b->arrived);
  return chosen ? PTHREAD_BARRIER_SERIAL_THREAD : 0;
}
