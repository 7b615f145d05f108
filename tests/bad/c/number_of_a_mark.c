// error: which represents what was never set or is freed
// line: 6
// SPDX-License-Identifier: GPL-3.0-or-later
volatile unsigned long x;
int main(void) {
  x = 0x5a3d00000000ul;
  return x == 0;
}
