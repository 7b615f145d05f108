// One condition variable for two conditions. A signal is for any one of those who wait: the one for the first condition
// can wake the thread that waits for the second, though it came later, and is lost. BROADCAST wakes both.
//
// expect sc tso armv8 rc11: verified
// expect sc tso, property deadlock: violated
// expect sc tso, define FL_SPURIOUS_WAKEUPS=0, property deadlock: violated
// expect sc tso, define BROADCAST, property deadlock: verified
#include <assert.h>
#include <pthread.h>

pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
pthread_cond_t arrived = PTHREAD_COND_INITIALIZER;
pthread_cond_t changed = PTHREAD_COND_INITIALIZER;
int first_waits, second_waits, first, second;

void* wait_for_first(void* unused) {
  pthread_mutex_lock(&mutex);
  first_waits = 1;
  pthread_cond_broadcast(&arrived);
  while (!first) pthread_cond_wait(&changed, &mutex);
  second = 1;
  pthread_cond_signal(&changed);
  pthread_mutex_unlock(&mutex);
  return 0;
}

void* wait_for_second(void* unused) {
  pthread_mutex_lock(&mutex);
  while (!first_waits) pthread_cond_wait(&arrived, &mutex);
  second_waits = 1;
  pthread_cond_broadcast(&arrived);
  while (!second) pthread_cond_wait(&changed, &mutex);
  pthread_mutex_unlock(&mutex);
  return 0;
}

int main() {
  pthread_t a, b;
  pthread_create(&a, 0, wait_for_first, 0);
  pthread_create(&b, 0, wait_for_second, 0);
  pthread_mutex_lock(&mutex);
  while (!second_waits) pthread_cond_wait(&arrived, &mutex);
  first = 1;
#ifdef BROADCAST
  pthread_cond_broadcast(&changed);
#else
  pthread_cond_signal(&changed);
#endif
  pthread_mutex_unlock(&mutex);
  pthread_join(a, 0);
  pthread_join(b, 0);
  assert(first && second);
}
