// SPDX-License-Identifier: GPL-3.0-or-later
//
// Limits stay reached, and the option table has nothing in it that a command line could stumble over.
#include "env/limits.h"

#include <gtest/gtest.h>

#include <set>
#include <string>
#include <thread>
#include <type_traits>
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

TEST(Limits, Interrupt) {
  Limits limits;
  limits.interrupt();
  EXPECT_TRUE(limits.interrupted());
  EXPECT_EQ(limits.poll(), LimitReached::kInterrupt);
  EXPECT_GT(peak_rss_kb(), 0u);
}

TEST(Options, TheTableIsSane) {
  const Options defaults;
  std::set<std::string> names;
  for (const OptionSpec& option : option_table()) {
    const std::string name = option.name;
    for (unsigned command = 0; command < 8; ++command) {  // a name may mean one thing to each command
      if ((option.commands >> command & 1U) == 0) continue;
      EXPECT_TRUE(names.insert(name + " of " + std::to_string(command)).second) << name << " twice";
    }
    EXPECT_TRUE(name.starts_with("--") || name == "-I" || name == "-D") << name;
    EXPECT_GT(std::string(option.help).size(), 5u) << name;
    std::visit(
        [&](auto field) {
          using T = std::remove_cvref_t<decltype(defaults.*field)>;
          EXPECT_EQ(std::string(option.operand).empty(), (std::is_same_v<T, bool>)) << name;
          if constexpr (std::is_same_v<T, bool>) {
            EXPECT_EQ(defaults.*field, option.negated) << name << " would change nothing";
          } else {
            EXPECT_FALSE(option.negated) << name;
          }
          if constexpr (std::is_arithmetic_v<T> && !std::is_same_v<T, bool>) {
            EXPECT_LT(option.min, option.max) << name;
            EXPECT_GE(static_cast<double>(defaults.*field), option.min) << name;
            EXPECT_LE(static_cast<double>(defaults.*field), option.max) << name;
          }
        },
        option.field);
  }
}

TEST(Progress, SaysNothingUnlessEnabled) {
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
