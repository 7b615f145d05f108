// SPDX-License-Identifier: GPL-3.0-or-later
//
// Structures as arguments and results. Each processor has rules of its own how they travel in registers; what is in them
// is the same everywhere. Members that were never set are copied, and nothing else is done with them.
//
//  USED    one of those is used.
//
// expect sc rc11: verified
// expect sc, options --target x86_64: verified
// expect sc armv8, options --target aarch64: verified
// expect sc riscv, options --target riscv64: verified
// expect sc power, options --target ppc64le: verified
// expect sc, define USED: violated
// expect sc, define USED, options --target x86_64: violated
// expect sc, define USED, options --target aarch64: violated
// expect sc, define USED, options --target riscv64: violated
// expect sc, define USED, options --target ppc64le: violated
#include <fenceline.h>

struct byte { char c; };
struct four_bytes { short s; char c; };
struct eight_bytes { int x; char c; };
struct words { long x; int y; };
struct three { int x, y, z; };
struct pointer { int* p; long n; };
struct text { char t[3]; };
struct large { long a, b, c; };
struct mixed { int x; char c; long l; };

#define SAME(type) static struct type same_##type(struct type v) { return v; }
SAME(byte)
SAME(four_bytes)
SAME(eight_bytes)
SAME(words)
SAME(three)
SAME(pointer)
SAME(text)
SAME(large)
SAME(mixed)

static int number = 6;

static void set(void) {
  struct byte b = {1};
  fl_assert(same_byte(b).c == 1);
  struct four_bytes f = {-7, 3};
  fl_assert(same_four_bytes(f).s == -7 && same_four_bytes(f).c == 3);
  struct eight_bytes e = {-5, 9};
  fl_assert(same_eight_bytes(e).x == -5 && same_eight_bytes(e).c == 9);
  struct words w = {1L << 40, -4};
  fl_assert(same_words(w).x == 1L << 40 && same_words(w).y == -4);
  struct three t = {1, 2, -3};
  fl_assert(same_three(t).x == 1 && same_three(t).y == 2 && same_three(t).z == -3);
  struct pointer p = {&number, 5};
  fl_assert(*same_pointer(p).p == 6 && same_pointer(p).n == 5);
  struct text a = {{1, 2, 3}};
  fl_assert(same_text(a).t[0] == 1 && same_text(a).t[2] == 3);
  struct large l = {1, 2, 3};
  fl_assert(same_large(l).a == 1 && same_large(l).c == 3);
  struct mixed m = {1, 2, 3};
  fl_assert(same_mixed(m).x == 1 && same_mixed(m).c == 2 && same_mixed(m).l == 3);
}

static void partly_set(void) {
  struct byte b, b2 = same_byte(b);
  b2.c = 4;
  fl_assert(b2.c == 4);
  struct four_bytes f;
  f.c = 3;
  fl_assert(same_four_bytes(f).c == 3);
  struct words w;
  w.y = 4;
  fl_assert(same_words(w).y == 4);
  struct three t;
  t.y = 8;
  fl_assert(same_three(t).y == 8);
  struct text a;
  a.t[1] = 6;
  fl_assert(same_text(a).t[1] == 6);
  struct mixed m;
  m.c = 2;
  m.l = 4;
  fl_assert(same_mixed(m).c == 2 && same_mixed(m).l == 4);
#ifdef USED
  fl_assert(same_three(t).x == same_three(t).x);
#endif
}

int main(void) {
  set();
  partly_set();
  return 0;
}
