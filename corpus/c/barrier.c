// A barrier: what each thread wrote before it is there for all afterwards, in two rounds. Exactly one of the threads is
// told that it is the special one, and it need not be the last: with LAST it takes itself for that.
//
// expect sc tso armv8 rc11: verified
// expect sc tso armv8 rc11, define LAST: violated
// expect sc tso, property deadlock: verified
// expect sc tso, define ALONE, property deadlock: violated
#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>

pthread_barrier_t barrier;
int written[2], again[2];
atomic_int special, arrived;

void work(int number) {
  written[number] = 1;
  int last = atomic_fetch_add(&arrived, 1) == 1;
  int told = pthread_barrier_wait(&barrier) == PTHREAD_BARRIER_SERIAL_THREAD;
  assert(written[1 - number] == 1);
  if (told) atomic_fetch_add(&special, 1);
#ifdef LAST
  if (told) assert(last);
#endif
  again[number] = 1;
  pthread_barrier_wait(&barrier);
  assert(again[1 - number] == 1 && special == 1);
}

void* thread(void* unused) {
  work(1);
  return 0;
}

int main() {
  pthread_t other;
#ifdef ALONE
  pthread_barrier_init(&barrier, 0, 3);
#else
  pthread_barrier_init(&barrier, 0, 2);
#endif
  pthread_create(&other, 0, thread, 0);
  work(0);
  pthread_join(other, 0);
}
