// error: what main() is called with
// line: 6
// SPDX-License-Identifier: GPL-3.0-or-later
int x;

int main(int count, char **words) {
  (void)words;
  x = count;
  return 0;
}
