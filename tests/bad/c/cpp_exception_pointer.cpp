// error: a pointer ('char const*') that is thrown and caught
// line: 6
// SPDX-License-Identifier: GPL-3.0-or-later
int f(int k) {
  try {
    if (k == 0) throw "text";
    return 0;
  } catch (const char* text) {
    return text[0];
  }
}
int main() { return f(0); }
