// SPDX-License-Identifier: GPL-3.0-or-later
//
// Histories that are bad, and why; and all short ones by the definition.
#include "check/replay/history_checker.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <sstream>
#include <string_view>

#include "base/rng.h"
#include "unit/property/history_oracle.h"

namespace fenceline::check {
namespace {

// "store 1 1": by t1 to v1.
property::History history(const std::string& text) {
  property::History steps;
  std::istringstream in(text);
  for (std::string op; in >> op;) {
    constexpr std::array<std::string_view, 6> kNames = {"load", "store",  "rollback",
                                                        "rfin", "commit", "abort"};
    HistoryStep step;
    step.op = static_cast<HistoryOp>(std::ranges::find(kNames, op) - kNames.begin());
    in >> step.thread;
    --step.thread;
    if (has_variable(step.op)) {
      in >> step.variable;
      --step.variable;
    }
    steps.push_back(step);
  }
  return steps;
}

std::string why(const std::string& text, PropertyKind property = PropertyKind::kOpacity) {
  const HistoryCheck check = check_history(history(text), property);
  EXPECT_EQ(check.bad, !check.why.empty());
  EXPECT_EQ(check.bad, !check.operations.empty());
  return check.why;
}

TEST(HistoryChecker, ReportsTheCycle) {
  EXPECT_EQ(why("load 1 1 rfin 1 load 2 2 rfin 2 store 1 2 store 2 1"),
            "t1 loads v1 before t2 stores it, and t2 loads v2 before t1 stores it");
  EXPECT_EQ(why("store 1 1 load 2 1 rfin 2 abort 2 store 1 1"),
            "t1 stores v1 before t2 loads it, and t2 loads v1 before t1 stores it");
  EXPECT_EQ(
      why("load 1 1 rfin 1 store 2 1 commit 2 load 2 2 rfin 2 commit 2 store 1 2"),
      "t1 loads v1 before the 1st transaction of t2 stores it, the 1st transaction of t2 ends before the "
      "2nd transaction of t2 begins, and the 2nd transaction of t2 loads v2 before t1 stores it");
}

TEST(HistoryChecker, ShowsTheOperations) {
  const HistoryCheck check =
      check_history(history("load 1 1 rfin 1 load 2 2 rfin 2 store 1 2 store 2 1"), PropertyKind::kOpacity);
  EXPECT_EQ(check.operations, (std::vector<size_t>{0, 2, 4, 5}));
}

TEST(HistoryChecker, ReportsWhatIsMisplaced) {
  EXPECT_EQ(why("load 1 1 commit 1"),
            "commit by t1 is not possible there: what t1 has loaded from v1 is not used yet");
  EXPECT_EQ(why("rfin 1"), "rfin by t1 is not possible there: there is no load that it could finish");
  EXPECT_EQ(why("rollback 1 1"),
            "rollback v1 by t1 is not possible there: there is no store that it could undo");
  EXPECT_EQ(why("store 1 1 abort 1"),
            "abort by t1 is not possible there: its store to v1 is not rolled back");
  EXPECT_EQ(why("store 1 1 rollback 1 1 commit 1"),
            "commit by t1 is not possible there: after a rollback the transaction can only abort");
}

TEST(HistoryChecker, ReportsWhatDependsOnARollback) {
  EXPECT_EQ(why("store 1 1 load 2 1 rfin 2 rollback 1 1"),
            "t1 rolls back its store to v1, which t2 has loaded");
  EXPECT_EQ(why("store 1 1 store 2 1 rollback 1 1"),
            "t1 rolls back its store to v1, which t2 has overwritten");
  EXPECT_EQ(
      why("store 1 1 store 1 2 rollback 1 1 load 2 2 rfin 2"),
      "t1 must commit since t2 has loaded what it stored to v2, but it has rolled back its store to v1");
}

TEST(HistoryChecker, StrictSerializabilityIsAboutThoseThatCommit) {
  constexpr PropertyKind kStrict = PropertyKind::kStrictSerializability;
  EXPECT_EQ(why("store 1 1 load 2 1 rfin 2 rollback 1 1", kStrict), "");
  EXPECT_EQ(why("store 1 1 load 2 1 rfin 2 rollback 1 1 abort 1 commit 2", kStrict),
            "t1 rolls back its store to v1, which t2 has loaded");
  EXPECT_EQ(why("load 1 1 rfin 1 load 2 2 rfin 2 store 1 2 store 2 1", kStrict), "");
  EXPECT_EQ(why("load 1 1 rfin 1 load 2 2 rfin 2 store 1 2 store 2 1 commit 1 commit 2", kStrict),
            "t1 loads v1 before t2 stores it, and t2 loads v2 before t1 stores it");
  EXPECT_EQ(
      why("load 1 1 rfin 1 load 2 2 rfin 2 store 1 2 store 2 1 commit 1 load 3 1 rfin 3 commit 3", kStrict),
      "t1 loads v1 before t2 stores it, and t2 loads v2 before t1 stores it; t2 must commit since t3 has "
      "loaded what it stored to v1");
}

TEST(HistoryChecker, AgreesWithTheDefinition) {
  struct Case {
    HistoryAlphabet alphabet;
    size_t length;
  };
  for (const Case& one : {Case{{2, 2}, 5}, Case{{3, 2}, 4}, Case{{3, 1}, 6}}) {
    for (const PropertyKind property : {PropertyKind::kOpacity, PropertyKind::kStrictSerializability}) {
      const property::HistoryOracle oracle(property, one.alphabet.threads);
      property::for_each_history(one.alphabet, one.length, [&](const property::History& history, uint64_t) {
        const HistoryCheck check = check_history(history, property);
        EXPECT_EQ(check.bad, !oracle.correct(history)) << check.why;
        return !check.bad && !::testing::Test::HasFailure();
      });
    }
  }
}

TEST(HistoryChecker, AgreesWithTheDefinitionOnLongerHistories) {
  Rng rng(2);
  for (const HistoryAlphabet alphabet :
       {HistoryAlphabet{3, 2}, HistoryAlphabet{4, 2}, HistoryAlphabet{2, 3}}) {
    for (const PropertyKind property : {PropertyKind::kOpacity, PropertyKind::kStrictSerializability}) {
      const property::HistoryOracle oracle(property, alphabet.threads);
      for (int run = 0; run < 1000; ++run) {
        property::History history;
        for (int attempt = 0; attempt < 200 && history.size() < 20; ++attempt) {
          const HistoryStep step = alphabet.step(static_cast<uint32_t>(rng.below(alphabet.letters())));
          if (!has_variable(step.op) && rng.below(2) == 0) continue;
          history.push_back(step);
          const HistoryCheck check = check_history(history, property);
          ASSERT_EQ(check.bad, !oracle.correct(history)) << check.why;
          if (check.bad) history.pop_back();
        }
      }
    }
  }
}

}  // namespace
}  // namespace fenceline::check
