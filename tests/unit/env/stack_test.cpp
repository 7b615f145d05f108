// SPDX-License-Identifier: GPL-3.0-or-later
#include "env/stack.h"

#include <gtest/gtest.h>

#include <thread>

namespace fenceline {
namespace {

// How often this calls itself until less than `reserve` is left.
size_t depth_until(size_t reserve) {
  volatile char used[4096];
  used[0] = 1;
  if (stack_left() < reserve) return 0;
  const size_t below = depth_until(reserve);
  return below + static_cast<size_t>(used[0]);
}

void expect_an_end() {
  const size_t left = stack_left();
  ASSERT_GT(left, size_t{256} << 10);
  const size_t depth = depth_until(left / 2);
  EXPECT_GT(depth, 0u);
  EXPECT_LE(depth, left / 2 / 4096 + 1);
}

TEST(Stack, RecursionEnds) { expect_an_end(); }

TEST(Stack, EachThreadHasItsOwn) {
  std::thread other(expect_an_end);
  other.join();
}

}  // namespace
}  // namespace fenceline
