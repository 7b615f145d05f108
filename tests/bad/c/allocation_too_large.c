// error: an allocation of 2097152 bytes
// line: 7
// SPDX-License-Identifier: GPL-3.0-or-later
#include <stdlib.h>
char* p;
int main(void) {
  p = malloc(1 << 21);
  *p = 1;
}
