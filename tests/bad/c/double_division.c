// error: floating-point
// line: 6
// SPDX-License-Identifier: GPL-3.0-or-later
volatile double a = 1, b = 3;
int main(void) {
  double c = a / b;
  return c > 0;
}
