// error: an operand that is tied to one in memory
// SPDX-License-Identifier: GPL-3.0-or-later
int x;
int main(void) {
  __asm__ volatile("incl %0" : "=m"(x) : "0"(x));
  return x;
}
