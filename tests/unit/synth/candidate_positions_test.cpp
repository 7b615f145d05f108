// SPDX-License-Identifier: GPL-3.0-or-later
//
// What is one candidate position in the text, and which statements fences may follow.
#include "synth/candidate_positions.h"

#include <gtest/gtest.h>

#include "frontend/fl/fl.h"

namespace fenceline::synth {
namespace {

std::vector<std::string> after(const std::string& text, Positions positions) {
  std::vector<std::string> result;
  for (const CandidatePosition& candidate :
       candidate_positions(frontend::parse_fl({"test.fl", text}), positions))
    result.push_back(candidate.after);
  return result;
}
using Texts = std::vector<std::string>;

TEST(CandidatePositions, InstancesOfAThreadAreOnePosition) {
  const Program program = frontend::parse_fl({"test.fl",
                                              "shared int x[3], y;\n"
                                              "thread P[i in 0..2] { x[i] = 1; if (i > 0) y = 1; }\n"
                                              "thread Q { y = 2; }\n"
                                              "property p: never (y == 3);\n"});
  const std::vector<CandidatePosition> candidates = candidate_positions(program, Positions::kStores);
  ASSERT_EQ(candidates.size(), 3u);
  EXPECT_EQ(candidates[0].pos, (SourcePos{2, 23}));
  EXPECT_EQ(candidates[0].statement.end, (SourcePos{2, 32}));
  EXPECT_EQ(candidates[0].points.size(), 3u);
  EXPECT_EQ(threads_of(program, candidates[0]), (Texts{"P[0]", "P[1]", "P[2]"}));
  EXPECT_EQ(threads_of(program, candidates[1]), (Texts{"P[1]", "P[2]"}));
  EXPECT_EQ(threads_of(program, candidates[2]), (Texts{"Q"}));
}

TEST(CandidatePositions, CopiesOfAProcedureAreOnePosition) {
  const Program program = frontend::parse_fl({"test.fl",
                                              "shared int x;\n"
                                              "procedure set(v) { x = v; }\n"
                                              "thread P { set(1); set(2); }\n"
                                              "property p: never (x == 3);\n"});
  const std::vector<CandidatePosition> candidates = candidate_positions(program, Positions::kStores);
  ASSERT_EQ(candidates.size(), 1u);
  EXPECT_EQ(candidates[0].points.size(), 2u);
  EXPECT_EQ(threads_of(program, candidates[0]), (Texts{"P"}));
}

TEST(CandidatePositions, NotInsideAtomicSections) {
  EXPECT_EQ(after("shared int x;\n"
                  "procedure set(v) { x = v; }\n"
                  "thread P { set(1); atomic { set(2); } x = 3; atomic { x = 4; } }\n"
                  "property p: never (x == 5);\n",
                  Positions::kStores),
            (Texts{"x = 3;"}));
}

TEST(CandidatePositions, Stores) {
  EXPECT_EQ(
      after("shared int x, y;\n"
            "thread P { int r = x; x = y  +\n  r; havoc y in 0..3; cas(x, 0, 1); r = xchg(y, 1); fence; }\n"
            "property p: never (x == 5);\n",
            Positions::kStores),
      (Texts{"x = y + r;", "havoc y in 0..3;"}));
}

TEST(CandidatePositions, All) {
  EXPECT_EQ(after(R"(shared int x, y;
procedure get(a) { return x + a; }
thread P {
  int r = 0;
  int s = x, t = 1;
  r = x;
  r = y + s;
  x = y;
  r = get(y);
  get(1);
  if (r == 1) { a: x = 2; } else skip;
  b: skip;
  while (x == 0 && y == 1) r = 3;
  do y = 2; while (x == 1);
  cas(x, 0, 1);
  s = xchg(y, 2);
  await(x == 1);
  atomic { x = 3; y = 4; }
  assume(r == 1); assert(s == 1);
  havoc t in 0..1;
  fence; sfence; sync;
  choose { x = 5; } or { halt; }
  goto b;
}
property p: never (x == 5);
)",
                  Positions::kAll),
            (Texts{"int s = x, t = 1;", "r = x;", "r = y + s;", "x = y;", "r = get(y);", "a:", "x = 2;",
                   "b: skip;", "r = 3;", "y = 2;", "cas(x, 0, 1);", "s = xchg(y, 2);", "await(x == 1);",
                   "atomic { x = 3; y = 4; }", "assume(r == 1);", "assert(s == 1);", "havoc t in 0..1;",
                   "sfence;", "x = 5;"}));
}

TEST(CandidatePositions, WhereBracesAreNeeded) {
  const std::string text =
      "shared int x;\n"
      "thread P { if (x == 1) x = 2; else a: x = 3; while (x == 4) { x = 5; } do x = 6; while (x == 7); }\n"
      "property p: never (x == 5);\n";
  std::vector<std::pair<std::string, uint32_t>> found;
  for (const CandidatePosition& candidate :
       candidate_positions(frontend::parse_fl({"test.fl", text}), Positions::kAll))
    found.emplace_back(candidate.after, candidate.statement.open.column);
  EXPECT_EQ(found, (std::vector<std::pair<std::string, uint32_t>>{
                       {"x = 2;", 24}, {"a:", 36}, {"x = 3;", 36}, {"x = 5;", 0}, {"x = 6;", 75}}));
}

}  // namespace
}  // namespace fenceline::synth
