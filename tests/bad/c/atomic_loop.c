// error: a loop inside of an atomic section
// line: 10
// SPDX-License-Identifier: GPL-3.0-or-later
#include <fenceline.h>

int x;

int main(void) {
  fl_atomic_begin();
  while (x == 0) x = (int)fl_nondet(0, 1);
  fl_atomic_end();
  return 0;
}
