// A barrier for two that is used by four threads: they pass in pairs, so when a third one has passed, all have arrived,
// and one of each pair is told that it is the special one. With THREE, one waits for ever; SECOND thinks that the second
// pair is as early as the first.
//
// expect sc tso armv8 rc11: verified
// expect sc armv8 rc11, define SECOND: violated
// expect sc tso, property deadlock: verified
// expect sc tso, define THREE, property deadlock: violated
#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>

pthread_barrier_t barrier;
atomic_int arrived, passed, special;

void* thread(void* unused) {
  arrived++;
  if (pthread_barrier_wait(&barrier) == PTHREAD_BARRIER_SERIAL_THREAD) special++;
  int before = atomic_fetch_add(&passed, 1);
#ifdef SECOND
  if (before == 1) assert(arrived == 4);
#else
  if (before == 2) assert(arrived == 4);
#endif
  return 0;
}

int main() {
  pthread_t a, b, c;
  pthread_barrier_init(&barrier, 0, 2);
  pthread_create(&a, 0, thread, 0);
  pthread_create(&b, 0, thread, 0);
#ifndef THREE
  pthread_create(&c, 0, thread, 0);
#endif
  thread(0);
  pthread_join(a, 0);
  pthread_join(b, 0);
#ifndef THREE
  pthread_join(c, 0);
#endif
  assert(special == 2);
}
