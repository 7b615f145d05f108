// error: incompatible type
// line: 12
// SPDX-License-Identifier: GPL-3.0-or-later
struct pair {
  int a, b;
};

struct pair p;
int *q;

int main(void) {
  q = p;
  return 0;
}
