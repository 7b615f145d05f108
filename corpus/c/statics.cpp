// SPDX-License-Identifier: GPL-3.0-or-later
//
// A variable of a function is initialised by the first thread that comes there, and others wait for it. Its destructor
// and that of a global variable run when main() returns, the last one first. With BY_HAND, a flag takes the place of the
// guard, and both threads may initialise.
//
// expect sc tso rc11: verified
// expect sc tso rc11, define BY_HAND: violated
// expect sc, define ORDER: violated
#include <atomic>
#include <cassert>
#include <thread>

std::atomic<int> made{0}, gone{0};

struct Settings {
  int value = 0;
  int number = 0;
  Settings() {
    value = 5;
    number = made.fetch_add(1, std::memory_order_relaxed);
  }
  ~Settings() {
#ifdef ORDER
    assert(gone++ == number);
#else
    assert(gone++ == 1 - number);
#endif
  }
};

Settings global;

#ifdef BY_HAND
std::atomic<bool> known{false};
Settings* single;

Settings& settings() {
  if (!known.load(std::memory_order_acquire)) {
    single = new Settings;
    known.store(true, std::memory_order_release);
  }
  return *single;
}
#else
Settings& settings() {
  static Settings single;
  return single;
}
#endif

int main() {
  std::thread other([] { assert(settings().value == 5); });
  assert(settings().value == 5);
  other.join();
  assert(made == 2);
}
