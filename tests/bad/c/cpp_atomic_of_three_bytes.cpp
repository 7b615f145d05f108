// error: an atomic operation on 3 bytes
// line: 9
// SPDX-License-Identifier: GPL-3.0-or-later
#include <atomic>
struct three {
  char a[3];
};
std::atomic<three> x;
int main() { x.store(three{{1, 2, 3}}); }
