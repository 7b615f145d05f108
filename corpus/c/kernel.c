// Operations of the Linux kernel (<lkmm.h>). Message passing with smp_wmb and smp_rmb; store buffering, for which only a
// full fence helps, which operations that return a value have on both sides; a lock.
//
// expect sc tso pso armv8 power riscv rc11: verified
// expect armv8 power riscv rc11, define NO_WMB: violated
// expect armv8 power riscv rc11, define NO_RMB: violated
// expect armv8 power rc11, define RELAXED: violated
// expect tso armv8 power rc11, define FAILS: violated
#include <assert.h>
#include <lkmm.h>
#include <pthread.h>

int data, flag, x, y, z, seen[2], sum;
atomic_t counter = ATOMIC_INIT(0);
DEFINE_SPINLOCK(lock);

void add(int n) {
  spin_lock(&lock);
  sum += n;
  spin_unlock(&lock);
}

void* first(void* unused) {
  WRITE_ONCE(data, 42);
#ifndef NO_WMB
  smp_wmb();
#endif
  WRITE_ONCE(flag, 1);
  add(1);
  return 0;
}

void* second(void* unused) {
  if (READ_ONCE(flag)) {
#ifndef NO_RMB
    smp_rmb();
#endif
    assert(READ_ONCE(data) == 42);
  }
  add(2);
  return 0;
}

void* third(void* unused) {
  WRITE_ONCE(x, 1);
#ifdef RELAXED
  atomic_inc(&counter);
#elif defined FAILS
  cmpxchg(&z, 1, 2);
#else
  atomic_inc_return(&counter);
#endif
  seen[0] = READ_ONCE(y);
  return 0;
}

void* fourth(void* unused) {
  smp_store_mb(y, 1);
  seen[1] = READ_ONCE(x);
  return 0;
}

int main() {
  pthread_t threads[2];
  pthread_create(&threads[0], 0, first, 0);
  pthread_create(&threads[1], 0, second, 0);
  for (int i = 0; i < 2; ++i) pthread_join(threads[i], 0);
  assert(sum == 3);
  pthread_create(&threads[0], 0, third, 0);
  pthread_create(&threads[1], 0, fourth, 0);
  for (int i = 0; i < 2; ++i) pthread_join(threads[i], 0);
  assert(seen[0] || seen[1]);
  assert(xchg(&z, 5) == 0 && cmpxchg(&z, 5, 6) == 5 && z == 6 && cmpxchg(&z, 5, 7) == 6 && z == 6);
  assert(atomic_add_return(4, &counter) == 4 + atomic_fetch_add(0, &counter) - 4 && !atomic_dec_and_test(&counter));
}
