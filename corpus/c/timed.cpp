// SPDX-License-Identifier: GPL-3.0-or-later
//
// Waiting with a time limit: for a flag until a deadline, for a condition variable, for a mutex. A limit may pass at
// any time. Who looks at the result is right whatever the time; with TRUSTING nobody looks.
//
// expect sc tso armv8 rc11: verified
// expect sc tso armv8 rc11, define TRUSTING: violated
#include <atomic>
#include <cassert>
#include <chrono>
#include <condition_variable>
#include <mutex>
#include <thread>

using namespace std::chrono_literals;

std::atomic<bool> stop{false};
std::timed_mutex lock;
std::mutex mutex;
std::condition_variable filled;
int entered = 0;
bool ready = false;

void worker() {
  const auto deadline = std::chrono::steady_clock::now() + 10ms;
  while (!stop.load(std::memory_order_acquire) && std::chrono::steady_clock::now() < deadline)
    std::this_thread::yield();
  if (lock.try_lock_for(1s)) {
    ++entered;
    lock.unlock();
  }
  std::lock_guard guard(mutex);
  ready = true;
  filled.notify_one();
}

int main() {
  std::thread thread(worker);
  stop.store(true, std::memory_order_release);
  {
    std::lock_guard guard(lock);
    ++entered;
  }
  {
    std::unique_lock waiting(mutex);
    const bool in_time = filled.wait_for(waiting, 5ms, [] { return ready; });
#ifdef TRUSTING
    assert(ready);
#else
    assert(in_time == ready);
#endif
  }
  thread.join();
  assert(ready && (entered == 1 || entered == 2));
}
