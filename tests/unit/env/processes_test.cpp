// SPDX-License-Identifier: GPL-3.0-or-later
#include "env/processes.h"

#include <gtest/gtest.h>
#include <unistd.h>

#include <csignal>
#include <set>
#include <stdexcept>

#include "env/errors.h"

namespace fenceline {
namespace {

TEST(Processes, EachAnswersForItself) {
  Limits limits;
  int changed = 0;
  const auto answers = in_processes(
      4,
      [&](size_t i) {
        ++changed;
        return std::to_string(i) + ":" + std::to_string(getpid());
      },
      limits);
  EXPECT_EQ(changed, 0);  // here
  ASSERT_EQ(answers.size(), 4u);
  std::set<std::string> processes;
  for (size_t i = 0; i < answers.size(); ++i) {
    ASSERT_TRUE(answers[i]);
    EXPECT_EQ(answers[i]->substr(0, 2), std::to_string(i) + ":");
    processes.insert(answers[i]->substr(2));
  }
  EXPECT_EQ(processes.size(), 4u);
  EXPECT_FALSE(processes.contains(std::to_string(getpid())));
}

TEST(Processes, NoWork) {
  Limits limits;
  EXPECT_TRUE(in_processes(
                  0, [](size_t) { return ""; }, limits)
                  .empty());
}

TEST(Processes, LongAnswersWithAnyBytes) {
  Limits limits;
  std::string text(3'000'000, '\0');
  for (size_t i = 0; i < text.size(); ++i) text[i] = static_cast<char>(i * 7);
  const auto answers = in_processes(
      2, [&](size_t i) { return i == 0 ? text : ""; }, limits);
  EXPECT_EQ(answers[0], text);
  EXPECT_EQ(answers[1], "");
}

TEST(Processes, OneThatIsKilledTakesNothingWithIt) {
  Limits limits;
  const auto answers = in_processes(
      2,
      [](size_t i) {
        if (i == 0) raise(SIGKILL);
        return std::string("here");
      },
      limits);
  EXPECT_EQ(answers[0], std::nullopt);
  EXPECT_EQ(answers[1], "here");
}

TEST(Processes, WhatIsThrownIsABug) {
  Limits limits;
  try {
    in_processes(
        2,
        [](size_t i) -> std::string {
          if (i == 1) throw std::runtime_error("broken");
          return "";
        },
        limits);
    FAIL() << "nothing was thrown";
  } catch (const Bug& bug) {
    EXPECT_NE(std::string(bug.what()).find("broken"), std::string::npos);
  }
}

TEST(Processes, ALimitEndsThoseThatDoNotEnd) {
  Limits limits;
  limits.interrupt();
  const auto answers = in_processes(
      2,
      [](size_t i) {
        if (i == 0) pause();
        return std::string("here");
      },
      limits);
  EXPECT_EQ(answers[0], std::nullopt);
  EXPECT_EQ(answers[1], "here");
}

}  // namespace
}  // namespace fenceline
