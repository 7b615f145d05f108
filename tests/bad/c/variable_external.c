// error: the variable 'elsewhere', which is defined somewhere else
// line: 6
// SPDX-License-Identifier: GPL-3.0-or-later
extern int elsewhere;
int main(void) {
  return elsewhere;
}
