// SPDX-License-Identifier: GPL-3.0-or-later
//
// Threads that a vector holds, and results in another one, each thread with its own element. What the vectors allocate
// is known: main alone lets them grow. With SAME all threads have the same element. With RELAXED the last thread to
// finish reads what the others have stored, and nothing orders that.
//
// expect sc tso armv8 rc11: verified
// expect rc11, define SAME: violated
// expect sc tso, define RELAXED: verified
// expect armv8 rc11, define RELAXED: violated
#include <atomic>
#include <cassert>
#include <thread>
#include <vector>

#ifdef RELAXED
constexpr std::memory_order kOrder = std::memory_order_relaxed;
#else
constexpr std::memory_order kOrder = std::memory_order_acq_rel;
#endif

constexpr int kThreads = 3;

struct Sum {
  std::vector<std::thread> threads;
  std::vector<int> results;
  std::atomic<int> finished{0};
  int total = 0;

  void work(int number) {
#ifdef SAME
    results[0] = number + 1;
#else
    results[number] = number + 1;
#endif
    if (finished.fetch_add(1, kOrder) + 1 < kThreads) return;
    for (const int result : results) total += result;
  }

  Sum() : results(kThreads) {
    for (int i = 0; i < kThreads; ++i) threads.emplace_back([this, i] { work(i); });
  }

  ~Sum() {
    for (std::thread& thread : threads) thread.join();
#ifndef SAME
    assert(total == 6);
#endif
  }
};

int main() { Sum sum; }
