// SPDX-License-Identifier: GPL-3.0-or-later
//
// Classes, templates, base classes, anonymous unions, std::thread and lambdas.
#include <atomic>
#include <cassert>
#include <thread>

namespace app {

struct Counted {
  std::atomic<unsigned> count{0};
};

template <class T, unsigned N>
class Ring : public Counted {
 public:
  bool push(T value) {
    const unsigned tail = tail_.load(std::memory_order_relaxed);
    if (tail - head_.load(std::memory_order_acquire) == N) return false;
    slots_[tail % N].value = value;
    slots_[tail % N].sequence.store(tail + 1, std::memory_order_relaxed);
    count.fetch_add(1, std::memory_order_relaxed);
    tail_.store(tail + 1, std::memory_order_relaxed);  // this should release
    return true;
  }
  bool pop(T& value) {
    const unsigned head = head_.load(std::memory_order_relaxed);
    if (tail_.load(std::memory_order_acquire) == head) return false;
    std::atomic_thread_fence(std::memory_order_acquire);
    value = slots_[head % N].value;
    head_.store(head + 1, std::memory_order_release);
    return true;
  }

 private:
  struct Slot {
    std::atomic<unsigned> sequence{0};
    T value{};
  };
  std::atomic<unsigned> head_{0};
  union {
    std::atomic<unsigned> tail_{0};
    unsigned word_;
  };
  Slot slots_[N];
};

}  // namespace app

static app::Ring<int*, 2> ring;
static int payload;

static void produce(int value) {
  payload = value;
  ring.push(&payload);
}

int main() {
  std::thread producer(produce, 42);
  std::thread consumer([] {
    int* value = nullptr;
    if (ring.pop(value)) assert(value != nullptr && *value == 42);
  });
  producer.join();
  consumer.join();
}
