// SPDX-License-Identifier: GPL-3.0-or-later
//
// The examples with which GCC's manual refers its readers to "atomic synchronization" (the modes of its memory model),
// one for each value of EXAMPLE. An assertion that may fail is one that the text says may fail.
//
//   1  a flag, sequentially consistent, hands over a plain variable: cannot fail
//   2  three threads, two atomic variables, sequentially consistent: neither assertion can fail
//   3  the same, relaxed: both can fail. ARM does not reorder the store of the second thread with its loads, on
//      which it depends, so it is the stores of the first that are seen in the other order
//   4  two relaxed loads of a variable that grows: the second value is never the smaller one
//   5  two writers and two readers, release and acquire: the readers may see the stores in different orders. Processors
//      of ARM have one order for all (8 is the same, sequentially consistent)
//   6  release and acquire hand over a plain variable: cannot fail
//   7  a pointer that is released and acquired, with a variable that is not behind it: cannot fail. With consume in
//      place of acquire (CONSUME) the text says that it may fail; Clang and GCC compile consume as acquire
//   8  as 5, sequentially consistent: if one reader has seen one order, the other one has not seen the opposite
//
// expect sc tso armv8 power riscv rc11, define EXAMPLE=1: verified
// expect sc tso armv8 power riscv rc11, define EXAMPLE=2: verified
// expect sc tso, define EXAMPLE=3: verified
// expect armv8 power riscv rc11, define EXAMPLE=3: violated
// expect sc tso armv8 power riscv rc11, define EXAMPLE=4: verified
// expect sc tso armv8 riscv, define EXAMPLE=5: verified
// expect power rc11, define EXAMPLE=5: violated
// expect sc tso armv8 power riscv rc11, define EXAMPLE=6: verified
// expect sc tso armv8 power riscv rc11, define EXAMPLE=7: verified
// expect sc tso armv8 power riscv rc11, define EXAMPLE=7 CONSUME: verified
// expect sc tso armv8 power riscv rc11, define EXAMPLE=8: verified
#include <atomic>
#include <cassert>
#include <thread>

using std::memory_order_acquire;
using std::memory_order_relaxed;
using std::memory_order_release;

#if EXAMPLE == 1 || EXAMPLE == 6

int value;
std::atomic<int> flag;

#if EXAMPLE == 1
constexpr std::memory_order kStore = std::memory_order_seq_cst, kLoad = std::memory_order_seq_cst;
#else
constexpr std::memory_order kStore = memory_order_release, kLoad = memory_order_acquire;
#endif

int main() {
  std::thread first([] {
    value = 20;
    flag.store(10, kStore);
  });
  std::thread second([] {
    if (flag.load(kLoad) == 10) assert(value == 20);
  });
  first.join();
  second.join();
}

#elif EXAMPLE == 2 || EXAMPLE == 3

std::atomic<int> x, y;

#if EXAMPLE == 2
constexpr std::memory_order kOrder = std::memory_order_seq_cst;
#else
constexpr std::memory_order kOrder = memory_order_relaxed;
#endif

int main() {
  std::thread first([] {
    y.store(20, kOrder);
    x.store(10, kOrder);
  });
  std::thread second([] {
    if (x.load(kOrder) == 10) {
      assert(y.load(kOrder) == 20);
      y.store(10, kOrder);
    }
  });
  std::thread third([] {
    if (y.load(kOrder) == 10) assert(x.load(kOrder) == 10);
  });
  first.join();
  second.join();
  third.join();
}

#elif EXAMPLE == 4

std::atomic<int> x;

int main() {
  std::thread first([] {
    x.store(1, memory_order_relaxed);
    x.store(2, memory_order_relaxed);
  });
  std::thread second([] {
    int earlier = x.load(memory_order_relaxed);
    int later = x.load(memory_order_relaxed);
    assert(earlier <= later);
  });
  first.join();
  second.join();
}

#elif EXAMPLE == 5 || EXAMPLE == 8

std::atomic<int> x, y;
bool y_first, x_first;

#if EXAMPLE == 5
constexpr std::memory_order kStore = memory_order_release, kLoad = memory_order_acquire;
#else
constexpr std::memory_order kStore = std::memory_order_seq_cst, kLoad = std::memory_order_seq_cst;
#endif

int main() {
  std::thread first([] { y.store(20, kStore); });
  std::thread second([] { x.store(10, kStore); });
  std::thread third([] { y_first = y.load(kLoad) == 20 && x.load(kLoad) == 0; });
  std::thread fourth([] { x_first = x.load(kLoad) == 10 && y.load(kLoad) == 0; });
  first.join();
  second.join();
  third.join();
  fourth.join();
  assert(!(y_first && x_first));
}

#elif EXAMPLE == 7

#ifdef CONSUME
constexpr std::memory_order kLoad = std::memory_order_consume;
#else
constexpr std::memory_order kLoad = memory_order_acquire;
#endif

int behind, beside;
std::atomic<int*> pointer;

int main() {
  std::thread first([] {
    behind = 1;
    beside = 1;
    pointer.store(&behind, memory_order_release);
  });
  std::thread second([] {
    if (int* seen = pointer.load(kLoad)) assert(*seen == 1 && beside == 1);
  });
  first.join();
  second.join();
}

#endif
