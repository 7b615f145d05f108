// error: recursion: 'down' may end up calling itself through a pointer
// line: 7
// SPDX-License-Identifier: GPL-3.0-or-later
int x;
void (*again)(int);

static void down(int n) { if (n > 0) again(n - x); }

int main(void) {
  again = down;
  again(3);
  return 0;
}
