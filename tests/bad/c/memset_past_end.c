// error: memset of 12 bytes where no object has so many
// line: 9
// SPDX-License-Identifier: GPL-3.0-or-later
#include <string.h>

int x[2], y;

int main(void) {
  memset(x, 0, 12);
  y = x[0];
  return 0;
}
