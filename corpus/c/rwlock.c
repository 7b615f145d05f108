// A read-write lock: readers see both halves of a pair alike. With SHARED the writer takes the lock for reading.
// TRY does not look whether it got the lock.
//
// expect sc tso pso armv8 power riscv rc11: verified
// expect sc tso armv8 rc11, define SHARED: violated
// expect sc tso armv8 rc11, define TRY: violated
// expect sc tso, property deadlock: verified
#include <assert.h>
#include <pthread.h>

pthread_rwlock_t lock = PTHREAD_RWLOCK_INITIALIZER;
int left, right;

void* writer(void* unused) {
#ifdef SHARED
  pthread_rwlock_rdlock(&lock);
#else
  pthread_rwlock_wrlock(&lock);
#endif
  left++;
  right++;
  pthread_rwlock_unlock(&lock);
  return 0;
}

void* reader(void* unused) {
#ifdef TRY
  int failed = pthread_rwlock_tryrdlock(&lock) != 0;
  assert(left == right);
  if (!failed) pthread_rwlock_unlock(&lock);
#else
  pthread_rwlock_rdlock(&lock);
  assert(left == right);
  pthread_rwlock_unlock(&lock);
#endif
  return 0;
}

int main() {
  pthread_t threads[3];
  pthread_create(&threads[0], 0, writer, 0);
  pthread_create(&threads[1], 0, reader, 0);
  pthread_create(&threads[2], 0, writer, 0);
  for (int i = 0; i < 3; ++i) pthread_join(threads[i], 0);
  assert(left == 2 && right == 2);
  assert(pthread_rwlock_trywrlock(&lock) == 0 && pthread_rwlock_tryrdlock(&lock) != 0);
  assert(pthread_rwlock_unlock(&lock) == 0 && pthread_rwlock_destroy(&lock) == 0);
}
