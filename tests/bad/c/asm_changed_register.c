// error: changes the register 'RBX', which is neither an output nor clobbered
// SPDX-License-Identifier: GPL-3.0-or-later
int main(void) {
  __asm__ volatile("movl $1, %%ebx" : :);
  return 0;
}
