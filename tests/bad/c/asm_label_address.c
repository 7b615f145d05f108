// error: a variable by its name
// SPDX-License-Identifier: GPL-3.0-or-later
int main(void) {
  void* p;
  __asm__ volatile("leaq 1f(%%rip), %0\n1:" : "=r"(p));
  return 0;
}
