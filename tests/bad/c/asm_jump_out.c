// error: "jmp main": a jump out of the assembly
// SPDX-License-Identifier: GPL-3.0-or-later
int main(void) {
  __asm__ volatile("jmp main");
  return 0;
}
