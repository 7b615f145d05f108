// error: undeclared identifier 'y'
// line: 7
// SPDX-License-Identifier: GPL-3.0-or-later
int x;

int main(void) {
  x = y;
  return 0;
}
