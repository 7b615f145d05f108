// What locks do not order: a spin lock, with MUTEX a mutex, RECURSIVE a recursive one, READERS a read-write lock,
// SEMAPHORE a semaphore of 1. By default a thread sees what was written under the lock. BUSY: a lock that another thread
// holds tells nothing about what that thread did before. LATER: a store behind the unlock overtakes one in front of it.
// EARLIER: a load in front of the lock is done after one behind it. BUFFER: unlocking a spin lock is a store, so a later
// load overtakes it; the other ones are unlocked by read-modify-writes. STATE: the store of a lock may be late.
//
// expect sc tso pso armv8 power riscv rc11 rc20: verified
// expect sc tso armv8 power riscv rc11, define MUTEX: verified
// expect sc tso armv8 power riscv rc11, define RECURSIVE: verified
// expect sc tso armv8 power riscv rc11, define READERS: verified
// expect sc tso armv8 power riscv rc11, define SEMAPHORE: verified
// expect armv8 power rc11 rc20, define BUSY: violated
// expect power rc11 rc20, define BUSY MUTEX: violated
// expect rc11, define BUSY RECURSIVE: violated
// expect armv8 power rc11 rc20, define BUSY READERS: violated
// expect armv8 power rc11 rc20, define BUSY SEMAPHORE: violated
// expect armv8 rc11, define LATER: violated
// expect armv8 riscv rc11, define LATER MUTEX: violated
// expect armv8 riscv rc11, define LATER RECURSIVE: violated
// expect armv8 riscv rc11, define LATER READERS: violated
// expect armv8 riscv rc11, define LATER SEMAPHORE: violated
// expect armv8 riscv rc11, define EARLIER: violated
// expect armv8 riscv rc11, define EARLIER RECURSIVE: violated
// expect armv8 riscv rc11, define EARLIER READERS: violated
// expect armv8 riscv rc11, define EARLIER SEMAPHORE: violated
// expect sc, define BUFFER: verified
// expect tso x86tso pso armv8 rc11, define BUFFER: violated
// expect sc tso x86tso pso, define BUFFER MUTEX: verified
// expect tso, define BUFFER READERS: verified
// expect tso, define BUFFER SEMAPHORE: verified
// expect sc tso, define STATE SEMAPHORE: verified
// expect armv8 riscv power rc11, define STATE SEMAPHORE: violated
// expect sc tso, property deadlock: verified
#define _GNU_SOURCE
#include <assert.h>
#include <pthread.h>
#include <semaphore.h>
#include <stdatomic.h>

#if defined MUTEX
pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
#define INIT()
#define LOCK() pthread_mutex_lock(&mutex)
#define TRY() pthread_mutex_trylock(&mutex)
#define UNLOCK() pthread_mutex_unlock(&mutex)
#elif defined RECURSIVE
pthread_mutex_t mutex = PTHREAD_RECURSIVE_MUTEX_INITIALIZER_NP;
#define INIT()
#define LOCK() pthread_mutex_lock(&mutex)
#define TRY() pthread_mutex_trylock(&mutex)
#define UNLOCK() pthread_mutex_unlock(&mutex)
#elif defined READERS
pthread_rwlock_t rwlock = PTHREAD_RWLOCK_INITIALIZER;
#define INIT()
#define LOCK() pthread_rwlock_wrlock(&rwlock)
#define TRY() pthread_rwlock_tryrdlock(&rwlock)
#define UNLOCK() pthread_rwlock_unlock(&rwlock)
#elif defined SEMAPHORE
sem_t semaphore;
#define INIT() sem_init(&semaphore, 0, 1)
#define LOCK() sem_wait(&semaphore)
#define TRY() sem_trywait(&semaphore)
#define UNLOCK() sem_post(&semaphore)
#else
pthread_spinlock_t spinlock;
#define INIT() pthread_spin_init(&spinlock, PTHREAD_PROCESS_PRIVATE)
#define LOCK() pthread_spin_lock(&spinlock)
#define TRY() pthread_spin_trylock(&spinlock)
#define UNLOCK() pthread_spin_unlock(&spinlock)
#endif

#define LOAD(x) atomic_load_explicit(&x, memory_order_relaxed)
#define STORE(x, value) atomic_store_explicit(&x, value, memory_order_relaxed)

atomic_int x, y;
int counter;

void* one(void* unused) {
#if defined BUSY
  STORE(x, 1);
  atomic_thread_fence(memory_order_release);
  LOCK();
#elif defined LATER
  LOCK();
  STORE(x, 1);
  UNLOCK();
  STORE(y, 1);
#elif defined EARLIER
  int first = LOAD(y);
  LOCK();
  if (first) assert(LOAD(x));
  UNLOCK();
#elif defined BUFFER
  LOCK();
  STORE(x, 1);
  UNLOCK();
  counter = LOAD(y);
#elif defined STATE
  LOCK();
  counter = LOAD(x);
#else
  LOCK();
  counter++;
  UNLOCK();
#endif
  return 0;
}

void* other(void* unused) {
#if defined BUSY
  if (TRY() != 0) assert(LOAD(x));
#elif defined LATER
  if (LOAD(y)) {
    atomic_thread_fence(memory_order_seq_cst);
    assert(LOAD(x));
  }
#elif defined EARLIER
  STORE(x, 1);
  atomic_thread_fence(memory_order_seq_cst);
  STORE(y, 1);
#elif defined BUFFER
  STORE(y, 1);
  atomic_thread_fence(memory_order_seq_cst);
  STORE(y, 1 + LOAD(x));
#elif defined STATE
  STORE(x, 1);
  atomic_thread_fence(memory_order_seq_cst);
  int value;
  sem_getvalue(&semaphore, &value);
  STORE(y, value);
#else
  LOCK();
  counter++;
  UNLOCK();
#endif
  return 0;
}

int main() {
  pthread_t a, b;
  INIT();
  pthread_create(&a, 0, one, 0);
  pthread_create(&b, 0, other, 0);
  pthread_join(a, 0);
  pthread_join(b, 0);
#if defined BUFFER
  assert(counter > 0 || y == 2);
#elif defined STATE
  assert(counter == 1 || y == 0);
#elif !defined BUSY && !defined LATER && !defined EARLIER
  assert(counter == 2);
#endif
}
