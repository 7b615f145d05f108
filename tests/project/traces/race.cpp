// SPDX-License-Identifier: GPL-3.0-or-later
//
// A data race on a member of a base class that another member hides.
#include <thread>

struct Base {
  long count = 0;
};
struct Derived : Base {
  long count = 0;
};
static Derived object;

int main() {
  std::thread writer([] { object.Base::count = 1; });
  object.count = 2;
  const long seen = object.Base::count;
  writer.join();
  return static_cast<int>(seen);
}
