// SPDX-License-Identifier: GPL-3.0-or-later
//
// A lock made of a std::atomic_flag, held through an object that unlocks when it goes. Two std::threads count
// once each, with a counter that is not atomic. The lock waits instead of spinning: setting a flag that is
// set leaves nothing behind.
//
// Who leaves releases (2), who enters acquires (1). On PSO the flag may be seen down before the counter is
// seen changed.
//
// expect sc tso rc11: verified
// expect sc tso, weaken 1 2: verified
// expect pso relaxed: verified
// expect relaxed, weaken 1 2: violated
// expect rc11, weaken 1 2: violated
#include <fenceline.h>

#include <atomic>
#include <thread>

class Lock {
 public:
  void lock() { fl_await(!flag_.test_and_set(fl_order(1, std::memory_order_acquire))); }
  void unlock() { flag_.clear(fl_order(2, std::memory_order_release)); }

 private:
  std::atomic_flag flag_;
};

class Holder {
 public:
  explicit Holder(Lock& lock) : lock_(lock) { lock_.lock(); }
  ~Holder() { lock_.unlock(); }
  Holder(const Holder&) = delete;
  Holder& operator=(const Holder&) = delete;

 private:
  Lock& lock_;
};

Lock lock;
int counter;

void worker() {
  Holder holder(lock);
  counter = counter + 1;
}

int main() {
  std::thread first(worker);
  std::thread second(worker);
  first.join();
  second.join();
  fl_assert(counter == 2);
}
