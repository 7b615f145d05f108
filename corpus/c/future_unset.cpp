// SPDX-License-Identifier: GPL-3.0-or-later
//
// A promise that need not be set: with NEVER, the thread that waits for its future waits for ever.
//
// expect sc, property deadlock: verified
// expect sc tso, define NEVER, property deadlock: violated
#include <atomic>
#include <future>
#include <thread>

std::atomic<int> stop;

int main() {
  std::promise<int> promise;
  std::future<int> future = promise.get_future();
  std::thread thread([&] {
#ifdef NEVER
    if (!stop)
#endif
      promise.set_value(1);
  });
  stop = 1;
  future.get();
  thread.join();
}
