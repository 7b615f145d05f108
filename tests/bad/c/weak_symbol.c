// error: the function 'maybe', whose code is not here
// line: 6
// SPDX-License-Identifier: GPL-3.0-or-later
__attribute__((weak)) int maybe(void);
int main(void) {
  if (maybe) return maybe();
  return 0;
}
