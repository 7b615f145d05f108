// A mutex made of a futex (Drepper: Futexes are tricky, 2011, mutex2): 0 free, 1 locked, 2 locked and some thread may
// wait. With NO_WAKE the thread that unlocks it wakes nobody, which does no harm with TIMED, where each wait has a
// limit; with WEAK the unlock orders nothing.
//
// expect sc tso armv8 rc11: verified
// expect armv8 rc11, define WEAK: violated
// expect sc tso, property deadlock: verified
// expect sc tso, define NO_WAKE, property deadlock: violated
// expect sc tso armv8 rc11, define TIMED: verified
// expect sc tso, define NO_WAKE TIMED, property deadlock: verified
#include <assert.h>
#include <linux/futex.h>
#include <pthread.h>
#include <stdatomic.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

#ifdef WEAK
#define RELEASE memory_order_relaxed
#else
#define RELEASE memory_order_release
#endif

#ifdef TIMED
struct timespec limit = {0, 1000};
#define LIMIT &limit
#else
#define LIMIT 0
#endif

atomic_int word;
int counter;

void lock(void) {
  int seen = 0;
  if (atomic_compare_exchange_strong_explicit(&word, &seen, 1, memory_order_acquire, memory_order_relaxed)) return;
  while (atomic_exchange_explicit(&word, 2, memory_order_acquire) != 0)
    syscall(SYS_futex, &word, FUTEX_WAIT_PRIVATE, 2, LIMIT, 0, 0);
}

void unlock(void) {
  if (atomic_exchange_explicit(&word, 0, RELEASE) == 2) {
#ifndef NO_WAKE
    syscall(SYS_futex, &word, FUTEX_WAKE_PRIVATE, 1, 0, 0, 0);
#endif
  }
}

void* thread(void* unused) {
  lock();
  counter++;
  unlock();
  return 0;
}

int main() {
  pthread_t a, b;
  pthread_create(&a, 0, thread, 0);
  pthread_create(&b, 0, thread, 0);
  pthread_join(a, 0);
  pthread_join(b, 0);
  assert(counter == 2);
}
