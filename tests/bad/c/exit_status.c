// error: 'atexit'
// line: 11
// SPDX-License-Identifier: GPL-3.0-or-later
#include <stdlib.h>

int x;

static void last(void) { x = 1; }

int main(void) {
  atexit(last);
  return 0;
}
