// Operations of the Linux kernel that change something only under a condition. If they do, they are full fences, which
// store buffering needs; with ZERO they do not, and order nothing. Each by its define; by default try_cmpxchg.
//
// expect sc armv8 power riscv rc11: verified
// expect tso armv8 power riscv rc11, define ZERO: violated
// expect armv8 rc11, define ADD_UNLESS: verified
// expect tso armv8 rc11, define ADD_UNLESS ZERO: violated
// expect armv8 rc11, define DEC_IF_POSITIVE: verified
// expect tso armv8 rc11, define DEC_IF_POSITIVE ZERO: violated
// expect armv8 power riscv rc11, define TEST_AND_SET: verified
// expect armv8 power riscv rc11, define TEST_AND_SET ZERO: verified
// expect armv8 rc11, define ACQUIRE: violated
// expect sc tso armv8 power riscv rc11, define MESSAGE: verified
// expect armv8 power riscv rc11, define MESSAGE ZERO: violated
// expect sc tso armv8 rc11, define LOCK: verified
// expect sc tso armv8 rc11, define BIT_LOCK: verified
// expect sc, define VALUES: verified
#include <assert.h>
#include <lkmm.h>
#include <pthread.h>

#ifdef ZERO
#define START 0
#else
#define START 1
#endif

int x, y, word = START, seen[2], sum;
atomic_t counter = ATOMIC_INIT(START);
atomic64_t large = ATOMIC64_INIT(5);
unsigned long bits[2];
DEFINE_SPINLOCK(lock);

void conditional(void) {
#if defined ADD_UNLESS
  atomic_inc_not_zero(&counter);
#elif defined DEC_IF_POSITIVE
  atomic_dec_if_positive(&counter);
#elif defined TEST_AND_SET
  test_and_set_bit(1 + 64 * START, bits);  // a full fence in any case
#elif defined ACQUIRE
  int old = 1;
  try_cmpxchg_acquire(&word, &old, 2);
#else
  int old = 1;
  try_cmpxchg(&word, &old, 2);
#endif
}

void add(int n) {
  while (test_and_set_bit_lock(3, bits)) cpu_relax();
  sum += n;
  clear_bit_unlock(3, bits);
}

void* first(void* unused) {
#if defined MESSAGE
  WRITE_ONCE(x, 42);
#ifdef ZERO
  WRITE_ONCE(y, 1);
#else
  smp_store_release(&y, 1);
#endif
#elif defined LOCK
  unsigned long flags;
  spin_lock_irqsave(&lock, flags);
  sum++;
  spin_unlock_irqrestore(&lock, flags);
#elif defined BIT_LOCK
  add(1);
#else
  WRITE_ONCE(x, 1);
  conditional();
  seen[0] = READ_ONCE(y);
#endif
  return 0;
}

void* second(void* unused) {
#if defined MESSAGE
  assert(smp_cond_load_acquire(&y, VAL != 0) == 1);
  assert(READ_ONCE(x) == 42);
#elif defined LOCK
  spin_lock_irq(&lock);
  sum += 2;
  spin_unlock_irq(&lock);
#elif defined BIT_LOCK
  add(2);
#else
  WRITE_ONCE(y, 1);
  smp_mb();
  seen[1] = READ_ONCE(x);
#endif
  return 0;
}

#ifdef VALUES
void values(void) {
  int old = 3, evaluated = 0;
  assert(!try_cmpxchg(&word, &old, 7) && old == 1 && try_cmpxchg(&word, &old, 7) && word == 7);
  cmpxchg(&word, 8, evaluated++);
  assert(evaluated == 1 && word == 7);
  assert(atomic_add_unless(&counter, 4, 0) && !atomic_add_unless(&counter, 4, 5) && atomic_read(&counter) == 5);
  assert(atomic_fetch_add_unless(&counter, 1, 6) == 5 && atomic_fetch_add_unless(&counter, 1, 6) == 6);
  assert(atomic_dec_if_positive(&counter) == 5 && atomic_read(&counter) == 5);
  atomic_set(&counter, 0);
  assert(atomic_dec_if_positive(&counter) == -1 && !atomic_inc_not_zero(&counter) && atomic_read(&counter) == 0);
  assert(atomic_inc_unless_negative(&counter) && atomic_dec_and_test(&counter) && atomic_dec_unless_positive(&counter));
  assert(!atomic_inc_unless_negative(&counter) && atomic_read(&counter) == -1);
  long before = 5;
  assert(atomic64_try_cmpxchg(&large, &before, 1L << 40) && atomic64_add_return(2, &large) == (1L << 40) + 2);
  atomic_long_inc(&large);
  assert(atomic_long_read(&large) == (1L << 40) + 3);
  set_bit(65, bits);
  assert(bits[1] == 2 && test_bit(65, bits) && test_and_set_bit(65, bits) && test_and_clear_bit(65, bits) && !bits[1]);
  assert(!test_and_change_bit(0, bits) && bits[0] == 1);
  clear_bit(0, bits);
  assert(bits[0] == 0);
}
#endif

int main() {
  pthread_t threads[2];
#ifdef VALUES
  values();
#else
  pthread_create(&threads[0], 0, first, 0);
  pthread_create(&threads[1], 0, second, 0);
  for (int i = 0; i < 2; ++i) pthread_join(threads[i], 0);
#if defined LOCK || defined BIT_LOCK
  assert(sum == 3);
#elif !defined MESSAGE
  assert(seen[0] || seen[1]);
#endif
#endif
}
