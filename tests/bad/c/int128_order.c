// error: a comparison of more than 64 bits other than for equality
// line: 6
// SPDX-License-Identifier: GPL-3.0-or-later
volatile __int128 a, b;
int main(void) {
  return a < b;
}
