// SPDX-License-Identifier: GPL-3.0-or-later
//
// A bounded buffer that throws when it is full. The producer tries again if it is; the lock is given back on the way to
// the handler. With UNCAUGHT there is no handler, and the buffer can be full; with LEAVES_LOCKED the lock is not
// given back, so the producer waits for itself and the assertion is never reached.
//
// expect sc tso rc11: verified
// expect sc tso rc11, define UNCAUGHT: violated
// expect sc, define LEAVES_LOCKED, property deadlock: violated
#include <cassert>
#include <mutex>
#include <stdexcept>
#include <thread>

class Buffer {
 public:
  void put(int value) {
#ifdef LEAVES_LOCKED
    mutex_.lock();
    if (full_) throw std::length_error("full");
    value_ = value;
    full_ = true;
    mutex_.unlock();
#else
    const std::lock_guard<std::mutex> lock(mutex_);
    if (full_) throw std::length_error("full");
    value_ = value;
    full_ = true;
#endif
  }
  int take() {
    const std::lock_guard<std::mutex> lock(mutex_);
    if (!full_) return 0;
    full_ = false;
    return value_;
  }

 private:
  std::mutex mutex_;
  bool full_ = false;
  int value_ = 0;
};

Buffer buffer;

void produce() {
  buffer.put(1);
#ifdef UNCAUGHT
  buffer.put(2);
#else
  try {
    buffer.put(2);
  } catch (const std::logic_error&) {
    assert(buffer.take() <= 1);
    buffer.put(2);
  }
#endif
}

int main() {
  std::thread producer(produce);
  const int got = buffer.take();
  producer.join();
  assert(got <= 1 || got == 2);
  assert(buffer.take() != 1);
}
