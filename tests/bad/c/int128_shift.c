// error: a shift of 128 bits by a number that is not a constant
// line: 7
// SPDX-License-Identifier: GPL-3.0-or-later
volatile unsigned __int128 a;
volatile int n;
int main(void) {
  return (int)(a >> n);
}
