// error: the function 'fopen'
// line: 6
// SPDX-License-Identifier: GPL-3.0-or-later
#include <stdio.h>
int main(void) {
  FILE* f = fopen("x", "r");
  return fgetc(f);
}
