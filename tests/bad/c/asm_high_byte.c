// error: the high byte of a register that has none
// SPDX-License-Identifier: GPL-3.0-or-later
int main(void) {
  long x = 1;
  __asm__ volatile("movb %h0, %b0" : "+S"(x));
  return (int)x;
}
