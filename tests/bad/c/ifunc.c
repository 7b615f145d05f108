// error: the function 'chosen'
// line: 8
// SPDX-License-Identifier: GPL-3.0-or-later
static int one(void) { return 1; }
static int (*pick(void))(void) { return one; }
int chosen(void) __attribute__((ifunc("pick")));
int main(void) {
  return chosen();
}
