// SPDX-License-Identifier: GPL-3.0-or-later
//
// A queue for one producer and one consumer that caches the index of the other side: an index is loaded again only when
// the cached one says that the queue is full, or empty. So the loop that waits stores to memory, but only to memory of its
// own thread.
//
// RELAXED_WRITE, RELAXED_READ: the release of an index that publishes an element, or its place, is missing.
//
// expect sc tso armv8 rc11: verified
// expect sc tso, define RELAXED_WRITE: verified
// expect armv8 rc11, define RELAXED_WRITE: violated
// expect rc11, define RELAXED_READ: violated
#include <atomic>
#include <cassert>
#include <thread>

#ifdef RELAXED_WRITE
#define PUBLISH std::memory_order_relaxed
#else
#define PUBLISH std::memory_order_release
#endif
#ifdef RELAXED_READ
#define GIVE_BACK std::memory_order_relaxed
#else
#define GIVE_BACK std::memory_order_release
#endif

class Queue {
 public:
  void push(int value) {
    const unsigned write = write_.load(std::memory_order_relaxed);
    const unsigned next = (write + 1) % kSlots;
    while (next == cached_read_) cached_read_ = read_.load(std::memory_order_acquire);
    slots_[write] = value;
    write_.store(next, PUBLISH);
  }

  int* front() {
    const unsigned read = read_.load(std::memory_order_relaxed);
    if (read == cached_write_) {
      cached_write_ = write_.load(std::memory_order_acquire);
      if (read == cached_write_) return nullptr;
    }
    return &slots_[read];
  }

  void pop() {
    const unsigned read = read_.load(std::memory_order_relaxed);
    read_.store((read + 1) % kSlots, GIVE_BACK);
  }

 private:
  static constexpr unsigned kSlots = 2;  // one is always empty

  int slots_[kSlots];
  alignas(64) std::atomic<unsigned> write_{0};
  alignas(64) unsigned cached_read_ = 0;
  alignas(64) std::atomic<unsigned> read_{0};
  alignas(64) unsigned cached_write_ = 0;
};

static Queue queue;

int main() {
  std::thread producer([] {
    for (int i = 1; i <= 3; i++) queue.push(i);
  });
  std::thread consumer([] {
    for (int i = 1; i <= 3; i++) {
      int* element = queue.front();
      while (element == nullptr) element = queue.front();
      assert(*element == i);
      queue.pop();
    }
  });
  producer.join();
  consumer.join();
}
