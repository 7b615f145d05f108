// An access that is not aligned may be torn by the processor, and one of 16 bytes is two: so another thread may find a
// part of what was stored. A member that is aligned is accessed at once, also if its structure is packed.
//
// expect sc tso pso armv8 power riscv: verified
// expect sc tso pso armv8 power riscv, define MISALIGNED: violated
// expect sc tso armv8, define WIDE: violated
// expect sc tso armv8, define FIRST: violated
// expect sc tso armv8, define LAST: violated
// expect sc tso armv8, define ANYWHERE: violated
#include <assert.h>
#include <pthread.h>
#include <stdint.h>

struct __attribute__((packed, aligned(64))) {
  char text[60];
  uint16_t aligned;
  char one;
  uint16_t odd;
} s;
struct __attribute__((packed)) header {
  uint32_t number;
} somewhere;
unsigned __int128 wide;
struct {
  char one;
  uint32_t odd;
} __attribute__((packed)) own;  // by one thread

void* writer(void* unused) {
  s.aligned = 0xffff;
#if defined MISALIGNED || defined FIRST || defined LAST
  s.odd = 0xffff;
#elif defined WIDE
  wide = ((unsigned __int128)1 << 64) | 1;
#elif defined ANYWHERE
  somewhere.number = 0xffffffff;
#endif
  return unused;
}

int main() {
  own.odd = 5;
  pthread_t thread;
  pthread_create(&thread, 0, writer, 0);
  uint16_t half = s.aligned;
  assert(half == 0 || half == 0xffff);
#ifdef MISALIGNED
  half = s.odd;
  assert(half == 0 || half == 0xffff);
#elif defined FIRST || defined LAST  // which byte is stored first is not known
  volatile _Atomic(char)* bytes = (volatile _Atomic(char)*)&s.odd;
#ifdef FIRST
  if (bytes[1] != 0) assert(bytes[0] != 0);
#else
  if (bytes[0] != 0) assert(bytes[1] != 0);
#endif
#elif defined WIDE
  unsigned __int128 both = wide;
  assert((uint64_t)both == (uint64_t)(both >> 64));
#elif defined ANYWHERE
  uint32_t number = somewhere.number;
  assert(number == 0 || number == 0xffffffff);
#endif
  pthread_join(thread, 0);
  assert(s.aligned == 0xffff && own.odd == 5);
}
