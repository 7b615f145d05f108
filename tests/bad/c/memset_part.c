// error: memset that ends or begins in a part of a variable
// line: 9
// SPDX-License-Identifier: GPL-3.0-or-later
#include <string.h>

int x = -1;

int main(void) {
  memset(&x, 0, 2);
  return 0;
}
