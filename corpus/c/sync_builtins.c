// __sync_lock_test_and_set only acquires, and __sync_lock_release only releases, as GCC documents them; the other ones are
// full fences. A lock that is made of them works. With EARLY, what was stored before a lock was taken may be seen late.
//
// expect sc tso armv8 power riscv rc11: verified
// expect armv8 power riscv rc11, define EARLY: violated
// expect sc tso, define EARLY: verified
// expect armv8 rc11, define EARLY FULL: verified
#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>

atomic_int x;
volatile int lock;
int counter;
int* volatile pointer;

#ifdef FULL
#define EXCHANGE() __sync_val_compare_and_swap(&lock, 0, 1)
#else
#define EXCHANGE() __sync_lock_test_and_set(&lock, 1)
#endif

void* thread(void* unused) {
#ifdef EARLY
  atomic_store_explicit(&x, 1, memory_order_relaxed);
  EXCHANGE();
#else
  while (__sync_lock_test_and_set(&lock, 1, x)) {
  }
  counter++;
  __sync_lock_release(&lock);
#endif
  return 0;
}

int main() {
  pthread_t other;
  int one = 1;
  assert(__sync_lock_test_and_set(&pointer, &one) == 0 && *__sync_lock_test_and_set(&pointer, 0) == 1);
  pthread_create(&other, 0, thread, 0);
#ifdef EARLY
  if (__atomic_load_n(&lock, __ATOMIC_ACQUIRE)) assert(atomic_load_explicit(&x, memory_order_relaxed));
  pthread_join(other, 0);
#else
  thread(0);
  pthread_join(other, 0);
  assert(counter == 2);
#endif
}
