// error: floating-point numbers
// line: 6
// SPDX-License-Identifier: GPL-3.0-or-later
float f;
int main(void) {
  __asm__ volatile("addss %1, %0" : "+x"(f) : "x"(f));
  return 0;
}
