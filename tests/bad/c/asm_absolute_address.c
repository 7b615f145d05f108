// error: assembly with an address that has no base
// SPDX-License-Identifier: GPL-3.0-or-later
int main(void) {
  int x;
  __asm__ volatile("movl 4096, %0" : "=r"(x));
  return x;
}
