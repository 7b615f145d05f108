// error: "pushq %rax"
// SPDX-License-Identifier: GPL-3.0-or-later
int main(void) {
  __asm__ volatile("pushq %%rax\n\tpopq %%rax" : : : "memory");
  return 0;
}
