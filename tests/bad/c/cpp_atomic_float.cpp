// error: floating-point
// line: 7
// SPDX-License-Identifier: GPL-3.0-or-later
#include <atomic>
std::atomic<float> f;
int main() {
  f.fetch_add(1.0f);
}
