// error: this atomic operation on more than 64 bits
// line: 6
// SPDX-License-Identifier: GPL-3.0-or-later
_Alignas(16) _Atomic __int128 x;
int main(void) {
  x += 5;
  return 0;
}
