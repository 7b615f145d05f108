// error: a variable by its name
// SPDX-License-Identifier: GPL-3.0-or-later
int x;
int main(void) {
  __asm__ volatile("incl x(%%rip)" : : : "memory");
  return x;
}
