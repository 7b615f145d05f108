// Data of a thread's own, by keys; pthread_self and pthread_equal. With SHARED there is one variable for all.
//
// expect sc tso armv8 rc11: verified
// expect sc tso armv8 rc11, define SHARED: violated
#include <assert.h>
#include <pthread.h>
#include <stdint.h>

pthread_key_t key;
void* shared;
pthread_t ids[2];

void* thread(void* number) {
  ids[(intptr_t)number - 1] = pthread_self();
#ifdef SHARED
  shared = number;
  assert(shared == number);
#else
  assert(pthread_getspecific(key) == 0);
  pthread_setspecific(key, number);
  assert(pthread_getspecific(key) == number);
#endif
  return 0;
}

int main() {
  pthread_t a, b;
  pthread_key_create(&key, 0);
  pthread_setspecific(key, (void*)7);
  pthread_create(&a, 0, thread, (void*)1);
  pthread_create(&b, 0, thread, (void*)2);
  pthread_join(a, 0);
  pthread_join(b, 0);
  assert(pthread_getspecific(key) == (void*)7);
  assert(!pthread_equal(ids[0], ids[1]) && !pthread_equal(ids[0], pthread_self()) && pthread_equal(ids[0], a));
}
