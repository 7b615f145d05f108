// SPDX-License-Identifier: GPL-3.0-or-later
//
// Limits stay reached, and the option table has nothing in it that a command line could stumble over.
#include "env/limits.h"

#include <gtest/gtest.h>

#include <string>
#include <thread>
#include <vector>

#include "env/options.h"
#include "env/progress.h"

namespace fenceline {
namespace {

TEST(Limits, NoneIsReachedByItself) {
  Limits limits;
  EXPECT_EQ(limits.poll(), LimitReached::kNone);
  EXPECT_GT(limits.memory_bytes(), 0u);
}

TEST(Limits, Memory) {
  Limits limits(0, 1 << 20);
  EXPECT_EQ(limits.poll(1 << 20), LimitReached::kNone);
  EXPECT_EQ(limits.poll((1 << 20) + 1), LimitReached::kMemory);
  EXPECT_EQ(limits.poll(0), LimitReached::kMemory);  // and it stays
  EXPECT_EQ(limits.describe(LimitReached::kMemory), "the memory limit of 1 MB was reached");
}

TEST(Limits, MemoryOfTheProcess) {
  Limits limits(0, uint64_t{16} << 20);
  EXPECT_EQ(limits.poll_process(), LimitReached::kNone);  // what was there before does not count
  const uint64_t before = resident_bytes();
  EXPECT_GT(before, 0u);
  const std::vector<char> much(size_t{64} << 20, 'x');
  EXPECT_GT(resident_bytes(), before + (uint64_t{32} << 20)) << much.back();
  EXPECT_EQ(limits.poll_process(), LimitReached::kMemory);
}

TEST(Limits, Time) {
  Limits limits(0.001);
  std::this_thread::sleep_for(std::chrono::milliseconds(5));
  EXPECT_EQ(limits.poll(), LimitReached::kTime);
  EXPECT_EQ(limits.describe(LimitReached::kTime), "the time limit of 0.001 s was reached");
}

// What a part may do when its time is up, once.
TEST(Limits, APartIsExtended) {
  Limits whole(3600, uint64_t{1} << 30);
  for (const bool extended : {false, true}) {
    Limits part(whole, 1e-9, 1000);
    int calls = 0;
    part.at_deadline([&](uint64_t& bytes) {
      ++calls;
      bytes = 10;
      return extended;
    });
    for (int i = 0; i < 2; ++i)
      EXPECT_EQ(part.poll(), extended ? LimitReached::kNone : LimitReached::kTime) << extended;
    EXPECT_EQ(calls, 1);
    EXPECT_EQ(part.reached(), extended ? LimitReached::kNone : LimitReached::kTime);
    EXPECT_EQ(part.poll(11), extended ? LimitReached::kMemory : LimitReached::kTime);
  }
}

TEST(Limits, Interrupt) {
  Limits limits;
  limits.interrupt();
  EXPECT_TRUE(limits.interrupted());
  EXPECT_EQ(limits.poll(), LimitReached::kInterrupt);
  EXPECT_GT(peak_rss_kb(), 0u);
}

TEST(Options, GroupsAreFoundByTheirType) {
  struct One {
    int value = 1;
  };
  struct Two {
    int value = 2;
  };
  Options options;
  const Options& same = options;
  EXPECT_EQ(same.of<One>().value, 1);
  One& one = options.of<One>();
  one.value = 5;
  EXPECT_EQ(options.of<Two>().value, 2);
  EXPECT_EQ(&one, &same.of<One>());
  Options copy = options;
  copy.of<One>().value = 6;
  EXPECT_EQ(same.of<One>().value, 5);
  EXPECT_EQ(Options().of<One>().value, 1);
}

TEST(Progress, PrintsNothingUnlessEnabled) {
  testing::internal::CaptureStderr();
  {
    Progress progress(false);
    EXPECT_FALSE(progress.due());
    progress.show("text");
  }
  EXPECT_EQ(testing::internal::GetCapturedStderr(), "");
  testing::internal::CaptureStderr();
  {
    Progress progress(true);
    progress.set_task("task ");
    progress.show("text");
  }
  const std::string shown = testing::internal::GetCapturedStderr();
  EXPECT_NE(shown.find("task text"), std::string::npos);
  EXPECT_TRUE(shown.ends_with("\r\033[K"));  // and takes it away again
}

}  // namespace
}  // namespace fenceline
