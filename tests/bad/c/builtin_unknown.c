// error: the built-in function 'llvm.readcyclecounter'
// line: 5
// SPDX-License-Identifier: GPL-3.0-or-later
int main(void) {
  return (int)__builtin_readcyclecounter();
}
