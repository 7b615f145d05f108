// error: a segment register
// SPDX-License-Identifier: GPL-3.0-or-later
int main(void) {
  long x;
  __asm__ volatile("movq %%fs:0, %0" : "=r"(x));
  return (int)x;
}
