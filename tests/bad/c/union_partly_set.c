// error: another size
// line: 16
// SPDX-License-Identifier: GPL-3.0-or-later
//
// On one path the union was never set. Its parts have different sizes, so that cannot be told here.
#include <fenceline.h>

union number {
  int whole;
  short parts[2];
};

int main(void) {
  union number n;
  if (fl_nondet(0, 1)) n.whole = 5;
  return n.parts[0] + 1 == 100;
}
