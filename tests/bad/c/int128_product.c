// error: integers of 128 bits
// line: 7
// SPDX-License-Identifier: GPL-3.0-or-later
volatile unsigned __int128 a;
volatile unsigned long b = 3;
int main(void) {
  unsigned __int128 c = a * b;
  return (int)c;
}
