// SPDX-License-Identifier: GPL-3.0-or-later
#include "base/counted.h"

#include <gtest/gtest.h>

namespace fenceline {
namespace {

TEST(Counted, SingularAndPlural) {
  EXPECT_EQ(counted(0, "state"), "0 states");
  EXPECT_EQ(counted(1, "state"), "1 state");
  EXPECT_EQ(counted(2, "state"), "2 states");
  EXPECT_EQ(counted(1, "query"), "1 query");
  EXPECT_EQ(counted(4, "query"), "4 queries");
  EXPECT_EQ(counted(2, "array"), "2 arrays");
  EXPECT_EQ(counted(2, "candidate position"), "2 candidate positions");
}

}  // namespace
}  // namespace fenceline
