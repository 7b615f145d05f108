// error: alloca() in a loop
// line: 9
// SPDX-License-Identifier: GPL-3.0-or-later
#include <alloca.h>
volatile int n = 3;
int* kept[4];
int main(void) {
  for (int i = 0; i < n; ++i) {
    kept[i] = alloca(16);
    *kept[i] = i;
  }
  return *kept[0];
}
