// SPDX-License-Identifier: GPL-3.0-or-later
//
// A vector that two threads append to. How large it is when it has to grow depends on which thread comes first. With
// NO_LOCK nothing keeps the threads apart: an element is lost, or written where there is no element yet.
//
// expect sc tso rc11: verified
// expect sc tso rc11, define NO_LOCK: violated
#include <cassert>
#include <mutex>
#include <thread>
#include <vector>

std::vector<int> items;
std::mutex mutex;

void append(int item) {
#ifndef NO_LOCK
  const std::lock_guard<std::mutex> guard(mutex);
#endif
  items.push_back(item);
}

int main() {
  std::thread first(append, 1), second(append, 2);
  first.join();
  second.join();
  assert(items.size() == 2);
  assert(items[0] + items[1] == 3);
}
