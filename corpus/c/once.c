// pthread_once: the function runs once, and whoever comes later sees what it did. FLAG has a flag instead, without
// orders.
//
// expect sc tso pso armv8 power riscv rc11: verified
// expect armv8 rc11, define FLAG: violated
// expect sc tso, property deadlock: verified
#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>

pthread_once_t control = PTHREAD_ONCE_INIT;
atomic_int flag, times;
int data;

void initialise(void) {
  data = 42;
  atomic_fetch_add_explicit(&times, 1, memory_order_relaxed);
}

void* use(void* unused) {
#ifdef FLAG
  int expected = 0;
  if (atomic_compare_exchange_strong_explicit(&flag, &expected, 1, memory_order_relaxed, memory_order_relaxed))
    initialise();
  else if (expected == 1)
    return 0;
  atomic_store_explicit(&flag, 2, memory_order_relaxed);
#else
  pthread_once(&control, initialise);
#endif
  assert(data == 42);
  return 0;
}

int main() {
  pthread_t a, b;
  pthread_create(&a, 0, use, 0);
  pthread_create(&b, 0, use, 0);
  pthread_join(a, 0);
  pthread_join(b, 0);
  assert(times == 1);
}
