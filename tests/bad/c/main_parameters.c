// error: what main() is called with
// line: 6
// SPDX-License-Identifier: GPL-3.0-or-later
int x;

int main(int count, char **words) {
  x = count;
  return count < 3 ? main(count + 1, words) : 0;
}
