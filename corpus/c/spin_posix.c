// Spin locks of POSIX. TRY ignores that the lock was not free.
//
// expect sc tso pso armv8 power riscv rc11: verified
// expect sc tso armv8 rc11, define TRY: violated
// expect sc tso, property deadlock: verified
#include <assert.h>
#include <pthread.h>

pthread_spinlock_t lock;
int counter;

void* thread(void* unused) {
#ifdef TRY
  int got = pthread_spin_trylock(&lock) == 0;
  counter++;
  if (got) pthread_spin_unlock(&lock);
#else
  pthread_spin_lock(&lock);
  counter++;
  pthread_spin_unlock(&lock);
#endif
  return 0;
}

int main() {
  pthread_t a, b;
  pthread_spin_init(&lock, PTHREAD_PROCESS_PRIVATE);
  pthread_create(&a, 0, thread, 0);
  pthread_create(&b, 0, thread, 0);
  pthread_join(a, 0);
  pthread_join(b, 0);
  assert(counter == 2);
  pthread_spin_destroy(&lock);
}
