// error: assembly that reads the register 'RCX', which nothing has set
// SPDX-License-Identifier: GPL-3.0-or-later
int main(void) {
  int x;
  __asm__ volatile("movl %%ecx, %0" : "=r"(x));
  return x;
}
