// error: fl_nondet with nothing to choose from
// line: 6
// SPDX-License-Identifier: GPL-3.0-or-later
#include <fenceline.h>
int main(void) {
  return (int)fl_nondet(2, 1);
}
