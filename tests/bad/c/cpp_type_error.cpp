// error: no matching function for call to 'pick'
// line: 9
// SPDX-License-Identifier: GPL-3.0-or-later
template <typename T>
T pick(T a, T b) {
  return a < b ? a : b;
}

int main() { return pick(1, 2L); }
