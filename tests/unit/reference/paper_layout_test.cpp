// SPDX-License-Identifier: GPL-3.0-or-later
//
// The paper's layout: programs small enough for it, the bound of the buffers, and what refinements are for.
#include "reference/paper_layout.h"
#include "engine/numeric/options.h"
#include "reference/options.h"

#include <gtest/gtest.h>

#include <chrono>

#include "unit/engine/verification_task.h"

namespace fenceline::reference {
namespace {

using Outcome = PaperAnalysis::Outcome;

constexpr const char* kCounter = R"(
shared int x = 0;
thread P {
  int i;
  while (true) {
    i = i + 1;
    x = i;
    fence;
  }
}
property order: always (x <= P.i);
)";

constexpr const char* kMessage = R"(
shared int data = 0, ready = 0;
thread P { data = 1; fence; ready = 1; fence; }
thread Q { int r, d; r = ready; if (r == 1) { d = data; assert (d == 1); } }
)";

constexpr const char* kNoFence = R"(
shared int x = 0;
thread P { int i; while (true) { i = i + 1; x = i; } }
property order: always (x <= P.i);
)";

constexpr const char* kTwoStores = R"(
shared int x = 0, y = 0;
thread P { x = 1; y = 1; fence; }
property never_two: always (x <= 1 && y <= 1);
)";

PaperAnalysis analyzed(const char* text, const char* model, bool refine, PaperOptions options = {},
                       double seconds = 10'000) {
  const Program program = frontend::parse_fl({"test.fl", text});
  const FenceSet none;
  const Property property = property::properties_to_check(program, Options()).front();
  const Task task{program, none, memory_model(model), property};
  if (refine)
    for (const transform::FlushPoint& flush : transform::flush_points(program, none, task.model))
      options.refinements.insert(flush);
  options.check_up_to = 100'000;
  Limits limits(seconds);
  EXPECT_EQ(paper_layout_unsupported(task), "");
  return analyze_reduced(task, options, limits);
}

TEST(PaperLayout, MessagesArriveWithFences) {
  for (const char* model : {"tso", "pso"})
    for (const bool refine : {false, true}) {
      const PaperAnalysis analysis = analyzed(kMessage, model, refine);
      EXPECT_EQ(analysis.outcome, Outcome::kVerified) << model << refine;
      EXPECT_EQ(analysis.slots, 1);
      ASSERT_TRUE(analysis.certificate);
      EXPECT_TRUE(analysis.certificate->checked);
    }
}

// Whether the store has been flushed is not a dimension; one abstract element does not keep the cases
// separate.
TEST(PaperLayout, RefinementsMakeADifference) {
  for (const char* model : {"tso", "pso"}) {
    EXPECT_EQ(analyzed(kCounter, model, false).outcome, Outcome::kAlarm) << model;
    const PaperAnalysis refined = analyzed(kCounter, model, true);
    EXPECT_EQ(refined.outcome, Outcome::kVerified) << model;
    EXPECT_TRUE(refined.certificate && refined.certificate->checked);
  }
}

TEST(PaperLayout, EndlessStoresOverflow) {
  const PaperAnalysis analysis = analyzed(kNoFence, "pso", false);
  EXPECT_EQ(analysis.outcome, Outcome::kOverflow);
  EXPECT_EQ(analysis.slots, 4);
  EXPECT_EQ(analysis.reason(),
            "the store buffer bound 4 is exceeded, or the domain cannot show that it is not");
}

TEST(PaperLayout, BuffersGrowUntilTheyAreLongEnough) {
  EXPECT_EQ(analyzed(kTwoStores, "pso", true).slots, 1);
  const PaperAnalysis two = analyzed(kTwoStores, "tso", true);
  EXPECT_EQ(two.outcome, Outcome::kVerified);
  EXPECT_EQ(two.slots, 2);
  PaperOptions one;
  one.last_slots = 1;
  EXPECT_EQ(analyzed(kTwoStores, "tso", true, one).outcome, Outcome::kOverflow);
}

// A single operation on polyhedra takes longer than the limit here.
TEST(PaperLayout, LimitsHoldInsideOperations) {
  const auto start = std::chrono::steady_clock::now();
  const PaperAnalysis analysis = analyzed(kNoFence, "tso", true, {}, 0.02);
  EXPECT_EQ(analysis.outcome, Outcome::kLimit);
  EXPECT_EQ(analysis.limit, LimitReached::kTime);
  EXPECT_LT(std::chrono::steady_clock::now() - start, std::chrono::seconds(120));
}

TEST(PaperLayout, IsALayoutOfTheEngine) {
  engine::VerificationTask task(kCounter);
  task.options.of<numeric::NumericOptions>().layout = decide_in_paper_layout;
  task.options.of<numeric::NumericOptions>().confirm = false;
  Limits limits;
  EXPECT_EQ(task.verify_by("numeric", "tso", limits).verdict(), Verdict::kUnknown);
  task.options.of<ReferenceOptions>().refine = PaperRefinement::kAll;
  const Result result = task.verify_by("numeric", "tso", limits);
  EXPECT_EQ(result.verdict(), Verdict::kVerified);
  ASSERT_TRUE(result.certificate());
  EXPECT_EQ(result.certificate()->kind, "inductive invariant of the reduced program");
}

// Standard widening drops the ranges that every new state is cut to; the proof must have them all the same.
TEST(PaperLayout, ProofsHaveTheRanges) {
  EXPECT_NE(analyzed(kCounter, "pso", false).outcome, Outcome::kRejected);
}

}  // namespace
}  // namespace fenceline::reference
