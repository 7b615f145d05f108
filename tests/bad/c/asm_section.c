// error: another section
// SPDX-License-Identifier: GPL-3.0-or-later
int main(void) {
  __asm__ volatile("nop\n.pushsection .rodata\n.popsection");
  return 0;
}
