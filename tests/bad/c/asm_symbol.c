// error: a directive about a symbol
// SPDX-License-Identifier: GPL-3.0-or-later
int main(void) {
  __asm__ volatile("nop\n.globl here\nhere:");
  return 0;
}
