// error: a directive that puts bytes between the instructions
// SPDX-License-Identifier: GPL-3.0-or-later
int main(void) {
  __asm__ volatile(".byte 0xf3, 0x90");
  return 0;
}
