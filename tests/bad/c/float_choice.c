// error: floating-point numbers (a value that depends on the path taken)
// line: 7
// SPDX-License-Identifier: GPL-3.0-or-later
volatile int c;
float a = 1, b = 2;
int main(void) {
  float f = c ? a : b;
  return f > 1.5f;
}
