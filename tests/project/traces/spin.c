// A thread that tries a few times, and assembly.
#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>

static atomic_uint turn, done;

static void* waiter(void* unused) {
  unsigned tries = 0;
  while (atomic_load_explicit(&turn, memory_order_relaxed) == 0 && ++tries < 4)
    ;
  __asm__ __volatile__("mfence" ::: "memory");
  assert(tries < 4);
  atomic_fetch_sub_explicit(&done, 1, memory_order_seq_cst);
  return 0;
}

int main() {
  pthread_t thread;
  pthread_create(&thread, 0, waiter, 0);
  atomic_store_explicit(&turn, 1, memory_order_release);
  pthread_join(thread, 0);
}
