// SPDX-License-Identifier: GPL-3.0-or-later
//
// std::atomic::wait() and what libstdc++ makes of it: a semaphore and a latch. Waiting is that of the library's own headers, on a
// futex. With NO_NOTIFY the flag is set and the thread that waits for it is not woken: a deadlock, and nothing else
// is wrong. With RELAXED the flag hands over nothing.
//
// expect sc tso armv8 rc11: verified
// expect armv8 rc11, define RELAXED: violated
// expect sc tso, define NO_NOTIFY: verified
// expect sc, property deadlock: verified
// expect sc, define NO_NOTIFY, property deadlock: violated
// expect sc rc11, define SEMAPHORE: verified
// expect sc rc11, define LATCH: verified
#include <atomic>
#include <cassert>
#include <latch>
#include <semaphore>
#include <thread>

int data;

#ifdef SEMAPHORE
std::counting_semaphore<4> items(0);
void produce() { items.release(); }
void await() { items.acquire(); }
#elif defined(LATCH)
std::latch ready(1);
void produce() { ready.count_down(); }
void await() { ready.wait(); }
#else
#ifdef RELAXED
constexpr std::memory_order kRelease = std::memory_order_relaxed;
#else
constexpr std::memory_order kRelease = std::memory_order_release;
#endif
std::atomic<int> flag;
void produce() {
  flag.store(1, kRelease);
#ifndef NO_NOTIFY
  flag.notify_one();
#endif
}
void await() { flag.wait(0, std::memory_order_acquire); }
#endif

int main() {
  std::thread producer([] {
    data = 1;
    produce();
  });
  std::thread consumer([] {
    await();
    assert(data == 1);
  });
  producer.join();
  consumer.join();
}
