// A counter above the 48 bits of a pointer that is added to it, not only set, and masked away before the pointer is used.
// The store through that pointer decides how often the loop iterates.
//
// expect sc tso armv8 rc11: verified
// expect sc rc11, define TWO: violated
// expect sc, define BITS: unknown
// expect sc, define TEXT: unknown
#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdint.h>

#define COUNT (1ull << 48)
_Atomic uintptr_t tops[6];
int counts[6] = {2, 2, 2, 2, 2, 2};

void* store(void* unused) {
  for (int i = 0; i < 3; ++i) *(int*)(atomic_load(&tops[i]) & (COUNT - 1)) = 3;
  *(int*)(atomic_load(&tops[3]) & ~(1ull << 63)) = 3;
  *(int*)((atomic_load(&tops[4]) << 16) >> 16) = 3;
#ifdef BITS  // no arithmetic leads from the address to the pointer
  uintptr_t from = (uintptr_t)&counts[5], to = 0;
  for (int i = 0; i < 24; ++i)
    if (from >> i & 1) to |= (uintptr_t)1 << i;
  *(int*)to = 3;
#elif defined TEXT
  static const char hex[] = "0123456789abcdef";
  uintptr_t from = (uintptr_t)&counts[5], to = 0;
  char text[6];
  for (int i = 0; i < 6; ++i) text[i] = hex[from >> (4 * i) & 15];
  for (int i = 0; i < 6; ++i)
    to |= (uintptr_t)(text[i] <= '9' ? text[i] - '0' : text[i] - 'a' + 10) << (4 * i);
  *(int*)to = 3;
#else
  counts[5] = 3;
#endif
  return unused;
}

int main() {
  atomic_store(&tops[0], (uintptr_t)&counts[0] + 5 * COUNT);
  atomic_store(&tops[1], (uintptr_t)&counts[1] - COUNT);
  atomic_store(&tops[2], (uintptr_t)((char*)&counts[2] + COUNT));
  atomic_store(&tops[3], (uintptr_t)&counts[3] + (1ull << 63));
  atomic_store(&tops[4], (uintptr_t)&counts[4] - (1ull << 63));
  pthread_t thread;
  pthread_create(&thread, 0, store, 0);
  pthread_join(thread, 0);
  for (int which = 0; which < 6; ++which) {
    int n = 0;
    for (int i = 0; i < counts[which]; ++i) n++;
#ifdef TWO
    assert(n == 2);
#else
    assert(n == 3);
#endif
  }
}
