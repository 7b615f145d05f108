// SPDX-License-Identifier: GPL-3.0-or-later
//
// A mutex and a condition variable of the library, and a mistake that needs no weak memory.
#include <cassert>
#include <condition_variable>
#include <mutex>
#include <thread>

static std::mutex mutex;
static std::condition_variable changed;
static int count;

static void add() {
  std::lock_guard<std::mutex> guard(mutex);
  ++count;
  changed.notify_one();
}

int main() {
  std::thread first(add), second(add);
  {
    std::unique_lock<std::mutex> lock(mutex);
    changed.wait(lock, [] { return count > 0; });
    assert(count == 2);
  }
  first.join();
  second.join();
}
