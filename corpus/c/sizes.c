// SPDX-License-Identifier: GPL-3.0-or-later
//
// Sequential programs that are right: memory whose only pointer lies in a structure, structures by value (in one register, in
// two, with padding, with members that are never set), alignment, memory that is used as numbers of several sizes. With MIXED
// the same bytes are accessed with 4 bytes and with 8, which C allows through a union; with BEYOND an
// access of 8 bytes begins inside of an object and ends outside.
//
// expect sc tso rc11: verified
// expect sc rc11, define MIXED: verified
// expect sc rc11, define BEYOND: violated
#include <assert.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#ifdef BEYOND
#define MIXED_SIZE 4
#else
#define MIXED_SIZE 8
#endif
struct two { int a, b; };
struct three { int a, b, c; };
struct mixed { int a; char c; };
struct bytes { char a, b, c; };
struct link { int *p; int n; };
struct holder { long count; int *slots; struct two *pairs; } holder;
_Alignas(64) int line;
struct { char c; _Alignas(32) int x; } padded;

struct two make_two(int x) { struct two p; p.a = x; p.b = x + 1; return p; }
struct two half(int x) { struct two p; p.a = x; return p; }  // b stays as it is: never set, never used
struct three sum(struct three x) { x.c = x.a + x.b; return x; }
struct mixed next(struct mixed x) { x.c++; return x; }
struct bytes last(struct bytes x) { x.c++; return x; }
struct link link_to(int *p, int n) { struct link l = {p, n}; return l; }
int *slot(struct holder *h, int i) { return h->slots + i; }

int main(void) {
  holder.slots = malloc(4 * sizeof(int));
  holder.slots[1] = 5;
  *slot(&holder, 3) = 7;
  assert(holder.slots[1] + holder.slots[3] == 12);
  holder.pairs = calloc(3, sizeof(struct two));
  holder.pairs[2].b = 9;
  assert(holder.pairs[2].b == 9 && holder.pairs[2].a == 0);
  struct two t = make_two(3);
  assert(t.a == 3 && t.b == 4);
  struct two h = half(8), copy = h;
  assert(copy.a == 8);
  struct three s = {1, 2, 3};
  s = sum(s);
  assert(s.c == 3);
  struct mixed m = {1, 2};
  m = next(m);
  assert(m.a == 1 && m.c == 3);
  struct bytes y = {1, 2, 3};
  y = last(y);
  assert(y.a == 1 && y.c == 4);
  struct link l = link_to(&t.a, 6);
  assert(*l.p == 3 && l.n == 6);
  _Alignas(128) int local = 1;
  int *where = &local;
  assert(*where == 1 && (uintptr_t)where % 128 == 0);
  assert((uintptr_t)&line % 64 == 0 && (uintptr_t)&padded.x % 32 == 0);
  int *aligned = aligned_alloc(256, 512);
  void *other;
  assert(posix_memalign(&other, 64, 64) == 0);
  *(long *)other = 3;
  assert((uintptr_t)aligned % 256 == 0 && (uintptr_t)other % 64 == 0 && *(long *)other == 3);
  struct three *list[2] = {malloc(sizeof(struct three)), malloc(sizeof(struct three))};
  volatile int second = 1;
  *list[second] = s;
  *list[1 - second] = *list[second];
  assert(list[0]->c == 3 && list[0]->b == 2);
  memset(list[second], 0, sizeof(struct three));
  assert(list[1]->c == 0);
  char *arena = malloc(32);
  int *first = (int *)arena;
  long *rest = (long *)(arena + 8);
  *first = 1;
  *rest = 2;
  assert(*first + *rest == 3);
#if defined(MIXED) || defined(BEYOND)
  union { int part; long whole; } *both = malloc(MIXED_SIZE), *same = both;
  holder.slots = &both->part;
  *holder.slots = 1;
  long seen = same->whole;
#endif
}
