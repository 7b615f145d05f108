// SPDX-License-Identifier: GPL-3.0-or-later
//
// The goals that make a proof non-vacuous, which of them a few interleavings reach, and the program for the
// engine that decides the others.
#include "property/vacuity.h"

#include <gtest/gtest.h>

#include "frontend/fl/fl.h"
#include "ir/verify/verify.h"

namespace fenceline::property {
namespace {

const Property kErrors{"errors", PropertyKind::kNoErrors, ExprId(), SourcePos()};

struct Shown {
  VacuityGoals goals, open;
  std::vector<Vacuity::Stuck> stuck;
};

Shown shown(const Program& program, const Property& property = kErrors) {
  Shown result;
  result.goals = result.open = vacuity_goals(program, property);
  result.stuck = search_executions(program, result.open);
  return result;
}

TEST(Vacuity, TheGoals) {
  const Program ends =
      frontend::parse_fl({"t.fl", "shared int x; thread P { x = 1; assert(x == 1); assert(0); }"});
  EXPECT_TRUE(shown(ends).goals.end);
  EXPECT_EQ(shown(ends).goals.assertions.size(), 1U);  // assert(0) requires that it is not reached
  EXPECT_EQ(vacuity_goals(ends, {"d", PropertyKind::kNoDeadlock, ExprId(), {}}).assertions.size(), 0U);
  const Program endless =
      frontend::parse_fl({"t.fl", "shared int x; thread P { while (true) { x = 1; assert(x); } }"});
  EXPECT_FALSE(shown(endless).goals.end);
  EXPECT_TRUE(vacuity_goals(endless, {"f", PropertyKind::kFinally, ExprId(0U), {}}).end);
  EXPECT_TRUE(vacuity_goals(endless, {"o", PropertyKind::kOpacity, ExprId(), {}}).none());
}

TEST(Vacuity, WhatInterleavingsShow) {
  // Each needs the other, more than once; choices; an assumption that holds only late.
  for (const char* text :
       {"shared int x, y; thread P { x = 1; await(y == 1); x = 2; assert(y == 1); } "
        "thread Q { await(x == 1); y = 1; await(x == 2); }",
        "shared int x; thread P { int r; havoc r in 0..3; assume(r == 2); x = r; } "
        "thread Q { assume(x == 2); assert(x == 2); }",
        "shared int l; thread P { int r; atomic { r = l; assume(r == 0); l = 1; } l = 0; } "
        "thread Q { int r; do { r = cas(l, 0, 1); } while (!r); assert(l == 1); l = 0; }"}) {
    const Shown result = shown(frontend::parse_fl({"t.fl", text}));
    EXPECT_TRUE(result.goals.end);
    EXPECT_EQ(result.goals.assertions.size(), 1U);
    EXPECT_TRUE(result.open.none()) << text;
  }
}

TEST(Vacuity, WhereThreadsAre) {
  const Program program = frontend::parse_fl({"t.fl",
                                              "shared int x;\n"
                                              "thread P { x = 1; }\n"
                                              "thread Q { await(x == 2);\n assert(x == 2); }\n"
                                              "thread R { assume(x == 3); }\n"
                                              "thread S { int r; while (r == 0) r = x - 1; }\n"});
  const Shown result = shown(program);
  EXPECT_TRUE(result.open.end);
  EXPECT_EQ(result.open.assertions.size(), 1U);
  std::map<std::string, std::pair<uint32_t, Vacuity::How>> where;
  for (const Vacuity::Stuck& one : result.stuck)
    where[program.thread(one.thread).name] = {one.pos.line, one.how};
  EXPECT_FALSE(where.contains("P"));
  EXPECT_EQ(where["Q"], std::pair(3U, Vacuity::How::kWaits));
  EXPECT_EQ(where["R"], std::pair(5U, Vacuity::How::kAssumes));
  EXPECT_EQ(where["S"], std::pair(6U, Vacuity::How::kRuns));
}

TEST(Vacuity, TheProgramWithErrors) {
  Program program = frontend::parse_fl(
      {"t.fl", "shared int x; thread P { x = 1; assert(x == 1); halt; } thread Q { assert(x < 2); }"});
  VacuityGoals open = vacuity_goals(program, kErrors);
  ASSERT_EQ(open.assertions.size(), 2U);
  EXPECT_FALSE(ends_with_thread(program));
  for (Instruction& instruction : program.threads[0].code)
    instruction.ends_program = instruction.kind == InstrKind::kHalt;
  EXPECT_TRUE(ends_with_thread(program));
  const Program changed = with_errors(program, open);
  EXPECT_TRUE(verify(changed).empty());
  std::vector<ProgramError> errors;
  for (const Thread& thread : changed.threads)
    for (const Instruction& instruction : thread.code)
      if (instruction.kind == InstrKind::kAssert)
        errors.push_back({.kind = ProgramError::Kind::kAssertion, .assertion = instruction.assertion});
  ASSERT_EQ(errors.size(), 3U);
  mark_reached({.kind = ProgramError::Kind::kDivisionByZero}, open);
  EXPECT_EQ(open.assertions.size(), 2U);
  for (const ProgramError& error : errors) mark_reached(error, open);
  EXPECT_TRUE(open.assertions.empty());
}

}  // namespace
}  // namespace fenceline::property
