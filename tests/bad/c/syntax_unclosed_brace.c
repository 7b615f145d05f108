// error: expected '}'
// line: 8
// SPDX-License-Identifier: GPL-3.0-or-later
int x;

int main(void) {
  x = 1;
  return 0;
