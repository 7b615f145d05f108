// error: an access that is not aligned
// line: 10
// SPDX-License-Identifier: GPL-3.0-or-later
typedef int unaligned __attribute__((aligned(1)));

char bytes[8];
int x;

int main(void) {
  x = *(unaligned *)&bytes[1];
  return 0;
}
