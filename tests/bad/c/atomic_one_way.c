// error: an atomic section that not all paths through it begin and end
// line: 9
// SPDX-License-Identifier: GPL-3.0-or-later
#include <fenceline.h>

int x;

int main(void) {
  if (x == 1) fl_atomic_begin();
  x = 2;
  if (x == 1) fl_atomic_end();
  return 0;
}
