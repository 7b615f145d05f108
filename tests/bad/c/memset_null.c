// error: memset of 8 bytes where no object has so many
// line: 7
// SPDX-License-Identifier: GPL-3.0-or-later
#include <string.h>

int main(void) {
  memset((void *)0, 0, 8);
  return 0;
}
