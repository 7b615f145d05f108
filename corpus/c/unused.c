// SPDX-License-Identifier: GPL-3.0-or-later
//
// Errors in operations whose results are not used, or are compared with something they cannot be. A compiler
// leaves such operations out, and the errors with them; a checker must not. Each kind stands alone (-DKIND), in
// a loop with a constant number of iterations (LOOP), in a function that is put in place of its call (CALL).
// Without any of them nothing is wrong: `fine` does the same operations with operands that are fit for them.
//
// expect sc tso rc11 armv8: verified
// expect sc rc11 armv8, define DIVISION: violated
// expect sc, define DIVISION LOOP: violated
// expect sc, define DIVISION CALL: violated
// expect sc rc11 armv8, define REMAINDER: violated
// expect sc, define REMAINDER LOOP: violated
// expect sc rc11, define UNSIGNED_DIVISION: violated
// expect sc, define UNSIGNED_DIVISION LOOP: violated
// expect sc rc11 armv8, define COMPARISON: violated
// expect sc, define COMPARISON LOOP: violated
// expect sc rc11 armv8, define QUOTIENT: violated
// expect sc, define QUOTIENT LOOP: violated
// expect sc, define QUOTIENT REMAINS: violated
// expect sc rc11 armv8, define SHIFT: violated
// expect sc, define SHIFT LOOP: violated
// expect sc, define SHIFT CALL: violated
// expect sc rc11 armv8, define CONSTANTS: violated
// expect sc, define CONSTANTS LOOP: violated
// expect sc rc11 armv8, define CONSTANT_SHIFT: violated
// expect sc rc11 armv8, define NULL_POINTER: violated
// expect sc, define NULL_POINTER LOOP: violated
// expect sc, define NULL_POINTER CALL: violated
// expect sc rc11 armv8, define OUTSIDE: violated
// expect sc, define OUTSIDE LOOP: violated
// expect sc, define LOCAL_OUTSIDE: violated
// expect sc, define LOCAL_OUTSIDE LOOP: violated
// expect sc, define LOCAL_STORE_OUTSIDE LOOP: violated
// expect sc rc11 armv8, define NEVER_SET: violated
// expect sc, define NEVER_SET LOOP: violated
// expect sc, define NEVER_SET CALL: violated
// expect sc, define ALLOCATED_NEVER_SET LOOP: violated
// expect sc, define PART_NEVER_SET LOOP: violated
// expect sc, define BRANCH_NEVER_SET LOOP: violated
// expect sc, define POINTER_NEVER_SET LOOP: violated
// expect sc rc11, property use-after-free, define FREED: violated
// expect sc, property use-after-free, define FREED LOOP: violated
// expect rc11, define RACE: violated
// expect rc11, define RACE LOOP: violated
// expect rc11, define RACE CALL: violated
// expect sc, define RACE LOOP: verified
#include <limits.h>
#include <pthread.h>
#include <stdlib.h>

int zero, one = 1, smallest = INT_MIN, minus_one = -1, many = 32;
unsigned zero_unsigned;
int x, array[2];
int* null_pointer;

struct pair {
  int first, second;
};

static void fine(void) {
  int d = 5 / one, e = 5 % one, f = one << 31, g = smallest / one, h = one / minus_one;
  if (1 / one == 5) d = 3;
  (void)(one ^ one);
}

static void wrong(int i) {
#if defined(DIVISION)
  int d = 5 / zero;
#elif defined(REMAINDER)
  int d = 5 % zero;
#elif defined(UNSIGNED_DIVISION)
  unsigned d = 5u / zero_unsigned;
#elif defined(COMPARISON)
  if (1 / zero == 5) x = 1;
#elif defined(QUOTIENT)
#ifdef REMAINS
  int d = smallest % minus_one;
#else
  int d = smallest / minus_one;
#endif
#elif defined(SHIFT)
  int d = one << many;
#elif defined(CONSTANTS)
  int d = 1 / 0;
#elif defined(CONSTANT_SHIFT)
  int d = 1 << 32;
#elif defined(NULL_POINTER)
  int d = *null_pointer;
#elif defined(OUTSIDE)
  int d = array[2 + one];
#elif defined(LOCAL_OUTSIDE)
  int local[2] = {1, 2};
  int d = local[2];
#elif defined(LOCAL_STORE_OUTSIDE)
  int local[2] = {1, 2};
  local[2] = 3;
#elif defined(NEVER_SET)
  int n;
  int d = n + 1;
#elif defined(ALLOCATED_NEVER_SET)
  int* p = malloc(sizeof(int));
  int d = *p ^ *p;
#elif defined(PART_NEVER_SET)
  struct pair pair;
  if (zero) pair.first = 1;
  pair.second = 2;
  int d = pair.first + pair.second;
#elif defined(BRANCH_NEVER_SET)
  int n;
  if (n) {
  }
#elif defined(POINTER_NEVER_SET)
  int* p;
  int* d = &p[1];
#elif defined(FREED)
  int* p = malloc(sizeof(int));
  *p = 1;
  free(p);
  int d = *p;
#elif defined(RACE)
  int d = x;
#endif
}

static void* other(void* unused) {
#ifdef RACE
  x = 1;
#endif
  return 0;
}

int main(void) {
  pthread_t thread;
  pthread_create(&thread, 0, other, 0);
  fine();
#if defined(LOOP)
  for (int i = 0; i < 3; i++) {
    wrong(i);
  }
#elif defined(CALL)
  void (*call)(int) = wrong;
  call(1);
#else
  wrong(0);
#endif
  pthread_join(thread, 0);
  return 0;
}
