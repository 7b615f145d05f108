// What waking a futex does and returns. Three threads sleep, and one wakes TWO of them, or as many as there are. How many
// it has woken is what it is told. NONE: there is no thread that waits. With BITS, threads wait with bit 0 and are woken
// by bit 1, or by one that both have (SHARED). FAR: the words of two futexes that are far apart have different sleepers.
//
// expect sc tso armv8 rc11: verified
// expect sc tso armv8 rc11, define MOST=1: violated
// expect sc armv8, define TWO MOST=2: verified
// expect sc, define TWO MOST=1: violated
// expect sc tso armv8 rc11, define NONE: verified
// expect sc tso, property deadlock: verified
// expect sc tso, define TWO, property deadlock: violated
// expect sc tso, define BITS, property deadlock: violated
// expect sc tso, define BITS SHARED, property deadlock: verified
// expect sc, define BITS MOST=0: verified
// expect sc tso, define FAR, property deadlock: violated
#include <assert.h>
#include <linux/futex.h>
#include <pthread.h>
#include <stdatomic.h>
#include <sys/syscall.h>
#include <unistd.h>

#ifndef MOST
#define MOST 3
#endif
#ifdef TWO
#define NUMBER 2
#else
#define NUMBER 0x7fffffff
#endif
#ifdef SHARED
#define BIT 3
#else
#define BIT 2
#endif

atomic_int words[65];

void* sleeper(void* unused) {
#ifdef BITS
  syscall(SYS_futex, &words[0], FUTEX_WAIT_BITSET_PRIVATE, 0, 0, 0, 1);
#elif !defined NONE
  syscall(SYS_futex, &words[0], FUTEX_WAIT_PRIVATE, 0, 0, 0, 0);
#endif
  return 0;
}

int main() {
  pthread_t threads[3];
  for (int i = 0; i < 3; i++) pthread_create(&threads[i], 0, sleeper, 0);
  words[0] = 1;
#ifdef BITS
  long woken = syscall(SYS_futex, &words[0], FUTEX_WAKE_BITSET_PRIVATE, NUMBER, 0, 0, BIT);
#elif defined FAR
  long woken = syscall(SYS_futex, &words[64], FUTEX_WAKE_PRIVATE, NUMBER, 0, 0, 0);
#else
  long woken = syscall(SYS_futex, &words[0], FUTEX_WAKE_PRIVATE, NUMBER, 0, 0, 0);
#endif
#ifdef NONE
  assert(woken == 0);
#else
  assert(0 <= woken && woken <= MOST);
#endif
  for (int i = 0; i < 3; i++) pthread_join(threads[i], 0);
}
