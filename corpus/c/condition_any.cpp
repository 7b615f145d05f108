// SPDX-License-Identifier: GPL-3.0-or-later
//
// A condition variable for any lock. With ONE, a single thread of two is woken up, and the other one waits for ever.
//
// expect sc tso rc11: verified
// expect sc tso, property deadlock: verified
// expect sc tso, define ONE, property deadlock: violated
#include <cassert>
#include <condition_variable>
#include <mutex>
#include <thread>

std::mutex mutex;
std::condition_variable_any condition;
bool ready;
int data;

void wait() {
  std::unique_lock<std::mutex> lock(mutex);
  while (!ready) condition.wait(lock);
  assert(data == 42);
}

int main() {
  std::thread first(wait), second(wait);
  {
    std::lock_guard<std::mutex> guard(mutex);
    data = 42;
    ready = true;
  }
#ifdef ONE
  condition.notify_one();
#else
  condition.notify_all();
#endif
  first.join();
  second.join();
}
