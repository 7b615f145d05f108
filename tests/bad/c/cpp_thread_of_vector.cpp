// error: an allocation whose size is not a constant
// line: 11
// SPDX-License-Identifier: GPL-3.0-or-later
#include <thread>
#include <vector>

int x;

int main() {
  std::vector<std::thread> threads;
  for (int i = 0; i < 3; i++) threads.emplace_back([] { x = 1; });
  for (auto& thread : threads) thread.join();
  return 0;
}
