// error: exception
// line: 8
// SPDX-License-Identifier: GPL-3.0-or-later
int x;

int main() {
  try {
    if (x == 0) throw 1;
  } catch (int) {
    x = 2;
  }
  return 0;
}
