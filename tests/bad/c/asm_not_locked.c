// error: without 'lock'
// SPDX-License-Identifier: GPL-3.0-or-later
int x;
int main(void) {
  __asm__ volatile("cmpxchgl %1, %0" : "+m"(x) : "r"(1), "a"(0));
  return x;
}
