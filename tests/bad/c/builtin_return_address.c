// error: the built-in function 'llvm.returnaddress'
// line: 5
// SPDX-License-Identifier: GPL-3.0-or-later
int main(void) {
  return __builtin_return_address(0) == 0;
}
