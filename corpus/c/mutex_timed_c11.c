// A mutex of C11 with a time limit, which may pass whenever another thread holds it: with LIMIT the thread that gives up
// counts nothing.
//
// expect sc tso armv8 rc11: verified
// expect sc tso armv8 rc11, define LIMIT: violated
// expect sc tso, property deadlock: verified
#include <assert.h>
#include <threads.h>
#include <time.h>

mtx_t mutex;
int counter;

int thread(void* unused) {
#ifdef LIMIT
  struct timespec until = {1, 0};
  if (mtx_timedlock(&mutex, &until) != thrd_success) return 0;
#else
  mtx_lock(&mutex);
#endif
  counter++;
  mtx_unlock(&mutex);
  return 0;
}

int main() {
  thrd_t other;
  mtx_init(&mutex, mtx_timed);
  thrd_create(&other, thread, 0);
  thread(0);
  thrd_join(other, 0);
  assert(counter == 2);
}
