// error: a directive '.comm'
// SPDX-License-Identifier: GPL-3.0-or-later
int main(void) {
  __asm__ volatile("nop\n.comm shared, 4");
  return 0;
}
