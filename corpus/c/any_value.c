// Values that may be any: those of __VERIFIER_nondet_..., of clocks and of chance. What holds for all of them holds.
//
// expect sc tso armv8 rc11: verified
// expect sc armv8, define LARGE: violated
// expect sc armv8, define TIME: violated
// expect sc armv8, define WORD: violated
#include <assert.h>
#include <dat3m.h>
#include <stdlib.h>
#include <time.h>
#include <unistd.h>

int main() {
  __VERIFIER_loop_bound(3);
  unsigned char small = __VERIFIER_nondet_uchar();
  unsigned large = __VERIFIER_nondet_uint();
  _Bool truth = __VERIFIER_nondet_bool();
  __VERIFIER_assert(small <= 255 && (truth == 0 || truth == 1));
  __VERIFIER_assume(large > 7);
  assert(large != 3);
#ifdef LARGE
  assert(large < 4294967295);
#endif
  long word = __VERIFIER_nondet_long();
  assert((word >> 63) == (word < 0 ? -1 : 0) && ((unsigned long)word >> 63) == (word < 0));
#ifdef WORD
  assert(word >> 32 != 0x5a3d || (int)word != 0);  // what was never set is represented so
#endif
  int number = rand();
  assert(number >= 0);
  struct timespec now;
  assert(clock_gettime(CLOCK_MONOTONIC, &now) == 0 && now.tv_nsec < 1000000000);
#ifdef TIME
  assert(now.tv_nsec != 17);
#endif
  assert(getenv("HOME") == 0 && nanosleep(&now, 0) == 0 && usleep(1) == 0);
}
