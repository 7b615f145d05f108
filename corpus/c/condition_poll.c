// A loop around a wait with a time limit: nobody has to signal. With IF the limit may pass before the number is there.
//
// expect sc tso pso armv8 rc11: verified
// expect sc tso, property deadlock: verified
// expect sc tso armv8 rc11, define IF: violated
#include <assert.h>
#include <pthread.h>
#include <time.h>

pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
pthread_cond_t filled = PTHREAD_COND_INITIALIZER;
int ready, data;

void* consume(void* unused) {
  struct timespec until = {1, 0};
  pthread_mutex_lock(&mutex);
#ifdef IF
  if (!ready)
#else
  while (!ready)
#endif
    pthread_cond_timedwait(&filled, &mutex, &until);
  assert(data == 42);
  pthread_mutex_unlock(&mutex);
  return 0;
}

int main() {
  pthread_t consumer;
  pthread_create(&consumer, 0, consume, 0);
  pthread_mutex_lock(&mutex);
  data = 42;
  ready = 1;
  pthread_mutex_unlock(&mutex);
  pthread_join(consumer, 0);
}
