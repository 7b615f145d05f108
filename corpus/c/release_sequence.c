// Release sequences. The flag is released, then stored to again by the same thread, relaxed; the reader acquires the
// second store. In C++11 that synchronises, since the second store continues the release sequence of the first; in C++20
// it does not (P0982), and the accesses to data race. A read-modify-write continues it in both (RMW), whichever thread
// makes it (OTHER). Machines keep it: a release is a fence before the store, which orders later stores too.
//
// expect rc11 sc tso pso armv8 power: verified
// expect rc20: violated
// expect rc11 rc20 armv8 power, define RMW: verified
// expect rc11 rc20 armv8 power, define OTHER: verified
#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>

int data;
atomic_int flag;

void* writer(void* unused) {
  data = 1;
  atomic_store_explicit(&flag, 1, memory_order_release);
#ifdef RMW
  atomic_fetch_add_explicit(&flag, 1, memory_order_relaxed);
#elif !defined OTHER
  atomic_store_explicit(&flag, 2, memory_order_relaxed);
#endif
  return 0;
}

void* other(void* unused) {
  int expected = 1;
  atomic_compare_exchange_strong_explicit(&flag, &expected, 2, memory_order_relaxed, memory_order_relaxed);
  return 0;
}

void* reader(void* unused) {
  if (atomic_load_explicit(&flag, memory_order_acquire) == 2) assert(data == 1);
  return 0;
}

int main() {
  pthread_t a, b, c;
  pthread_create(&a, 0, writer, 0);
  pthread_create(&b, 0, reader, 0);
#ifdef OTHER
  pthread_create(&c, 0, other, 0);
  pthread_join(c, 0);
#endif
  pthread_join(a, 0);
  pthread_join(b, 0);
}
