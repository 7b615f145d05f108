// error: 'fork'
// line: 9
// SPDX-License-Identifier: GPL-3.0-or-later
#include <unistd.h>

int x;

int main(void) {
  if (fork() == 0) x = 1;
  return 0;
}
