// An access that is not aligned may be torn by the processor, and one of 16 bytes is two: so another thread may find a
// part of what was stored. A member that is aligned is accessed at once, also if its structure is packed; if an index
// decides which it is, the execution does.
//
// expect sc tso pso armv8 power riscv: verified
// expect sc tso pso armv8 power riscv, define MISALIGNED: violated
// expect sc tso armv8, define WIDE: violated
// expect sc tso armv8, define FIRST: violated
// expect sc tso armv8, define LAST: violated
// expect sc tso armv8, define ANYWHERE: violated
// expect sc tso armv8, define INDEX=2: verified
// expect sc tso armv8, define INDEX=1: violated
// expect sc, define UNTRACKED=8: verified
// expect sc rc11, define UNTRACKED=6: unknown
#include <assert.h>
#include <pthread.h>
#include <stdint.h>
#include <string.h>

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
struct __attribute__((packed)) entry {
  uint32_t key;
  uint16_t more;
};
_Alignas(8) struct entry table[4];  // every other key is aligned
#ifndef INDEX
#define INDEX 0
#endif
_Atomic(int) chosen = INDEX;  // not a constant: somebody writes it
_Alignas(8) char bytes[16];
#ifndef UNTRACKED
#define UNTRACKED 0
#endif
_Atomic(int) distance = UNTRACKED;

void* writer(void* unused) {
  s.aligned = 0xffff;
#if defined MISALIGNED || defined FIRST || defined LAST
  s.odd = 0xffff;
#elif defined WIDE
  wide = ((unsigned __int128)1 << 64) | 1;
#elif defined ANYWHERE
  somewhere.number = 0xffffffff;
#endif
#if INDEX
  table[chosen & 3].key = 0xffffffff;
#endif
#if UNTRACKED
  *(uint32_t*)(bytes + 8) = 0xffffffff;
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
#if INDEX
  uint32_t key = table[chosen & 3].key;
  assert(key == 0 || key == 0xffffffff);
#endif
#if UNTRACKED
  uint32_t copy;
  memcpy(&copy, bytes + distance, 4);
  assert(copy == 0 || copy == 0xffffffff);
#endif
  pthread_join(thread, 0);
  chosen = distance = 0;
  assert(s.aligned == 0xffff && own.odd == 5);
}
