// Condition variables: one thread hands a number to another under a mutex.
// Waiting may end without a signal (POSIX, pthread_cond_wait), so the condition is tested in a loop: with IF it is not,
// and the consumer goes on too early. NO_MUTEX signals a condition that was set without the mutex: the signal can come
// between the test and the wait, and then the consumer waits for ever. ONE has two consumers and one signal.
//
// expect sc tso pso armv8 power riscv rc11: verified
// expect sc tso armv8 rc11, define IF: violated
// expect sc tso, property deadlock: verified
// expect sc tso, define NO_MUTEX, property deadlock: violated
// expect sc tso, define TWO, property deadlock: verified
// expect sc tso, define TWO ONE, property deadlock: violated
#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>

pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
pthread_cond_t filled = PTHREAD_COND_INITIALIZER;
atomic_int ready;
int data;

void* produce(void* unused) {
#ifndef NO_MUTEX
  pthread_mutex_lock(&mutex);
#endif
  data = 42;
  ready = 1;
#ifndef NO_MUTEX
  pthread_mutex_unlock(&mutex);
#endif
#if defined(TWO) && !defined(ONE)
  pthread_cond_broadcast(&filled);
#else
  pthread_cond_signal(&filled);
#endif
  return 0;
}

void* consume(void* unused) {
  pthread_mutex_lock(&mutex);
#ifdef IF
  if (!ready) pthread_cond_wait(&filled, &mutex);
#else
  while (!ready) pthread_cond_wait(&filled, &mutex);
#endif
  assert(data == 42);
  pthread_mutex_unlock(&mutex);
  return 0;
}

int main() {
  pthread_t producer, consumer;
#ifdef TWO
  pthread_t other;
  pthread_create(&other, 0, consume, 0);
#endif
  pthread_create(&producer, 0, produce, 0);
  pthread_create(&consumer, 0, consume, 0);
  pthread_join(producer, 0);
  pthread_join(consumer, 0);
#ifdef TWO
  pthread_join(other, 0);
#endif
}
