// error: too few arguments
// line: 8
// SPDX-License-Identifier: GPL-3.0-or-later
#include <fenceline.h>
#include <pthread.h>

int main(void) {
  fl_nondet(0);
  return 0;
}
