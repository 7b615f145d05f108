// The compiler's built-in functions on bits and numbers, and atomic minimum and maximum.
// Each assertion holds by the definition of the function, as GCC's manual has it. The largest of three numbers is
// left, whoever comes first; with a plain comparison and a store instead one can get lost.
//
// expect sc tso pso armv8 power riscv rc11: verified
// expect sc tso armv8 rc11, define ZERO: violated
// expect sc tso armv8 rc11, define RACY: violated
#include <assert.h>
#include <pthread.h>
#include <stdint.h>
#include <stdlib.h>

volatile unsigned some = 40;
volatile unsigned long large = 0x8000000000000010ul;
volatile int negative = -5;

int largest;
_Atomic int other;

void* raise_to(void* value) {
#ifdef RACY
  if (other < (int)(intptr_t)value) other = (int)(intptr_t)value;
#else
  __atomic_fetch_max(&largest, (int)(intptr_t)value, __ATOMIC_RELAXED);
#endif
  return 0;
}

void bits(unsigned x, unsigned long y) {
  assert(__builtin_clz(x) == 26 && __builtin_ctz(x) == 3 && __builtin_popcount(x) == 2);
  assert(__builtin_clzl(y) == 0 && __builtin_ctzl(y) == 4 && __builtin_popcountl(y) == 2);
  assert(__builtin_ffs(x) == 4 && __builtin_ffs(x - 40) == 0 && __builtin_parity(x) == 0);
  assert(__builtin_bswap16(x) == 0x2800 && __builtin_bswap32(x) == 0x28000000u);
  assert(__builtin_bswap64(y) == 0x1000000000000080ul);
  assert(__builtin_rotateleft32(x, 28) == 0x80000002u && __builtin_rotateright32(x, 32) == 40);
  assert(__builtin_bitreverse64(y) == 0x0800000000000001ul && __builtin_bitreverse8(x) == 0x14);
  __builtin_prefetch(&largest);
#ifdef ZERO
  assert(__builtin_clz(x - 40) >= 0);
#endif
}

void overflow(int n, unsigned x) {
  int small;
  unsigned product;
  long sum;
  assert(abs(n) == 5);
  assert(!__builtin_add_overflow(n, 7, &small) && small == 2);
  assert(__builtin_add_overflow(n, INT32_MIN, &small) && small == INT32_MAX - 4);
  assert(__builtin_sub_overflow(x, 41u, &product) && product == UINT32_MAX);
  assert(__builtin_mul_overflow(x, 0x10000000u, &product) && product == 0x80000000u);
  assert(!__builtin_mul_overflow(n, n, &small) && small == 25);
  assert(!__builtin_sub_overflow((long)n, 7L, &sum) && sum == -12);
  assert(!__builtin_mul_overflow((long)n, 7L, &sum) && sum == -35);
}

int main() {
  bits(some, large);
  overflow(negative, some);
  int value = 5;
  assert(__atomic_fetch_min(&value, -3, __ATOMIC_SEQ_CST) == 5 && value == -3);
  assert(__atomic_fetch_max((unsigned*)&value, 7u, __ATOMIC_ACQ_REL) == -3u && value == -3);
  assert(__atomic_fetch_nand(&value, 1, __ATOMIC_RELEASE) == -3 && value == -2);
  pthread_t threads[3];
  for (intptr_t i = 0; i < 3; ++i) pthread_create(&threads[i], 0, raise_to, (void*)(5 - i));
  for (int i = 0; i < 3; ++i) pthread_join(threads[i], 0);
#ifdef RACY
  assert(other == 5);
#else
  assert(largest == 5);
#endif
}
