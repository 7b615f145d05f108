// error: static
// line: 14
// SPDX-License-Identifier: GPL-3.0-or-later
#include <thread>

struct Counter {
  int value;
  explicit Counter(int* start) : value(*start) {}
};

int start = 3;

int next() {
  static Counter counter(&start);
  return ++counter.value;
}

int main() {
  std::thread first(next);
  next();
  first.join();
  return 0;
}
