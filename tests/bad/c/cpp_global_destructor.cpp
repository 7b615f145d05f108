// error: a destructor or function that runs when the program ends
// line: 10
// SPDX-License-Identifier: GPL-3.0-or-later
int x;

struct Last {
  ~Last() { x = 1; }
};

Last last;

int main() { return 0; }
