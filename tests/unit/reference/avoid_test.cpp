// SPDX-License-Identifier: GPL-3.0-or-later
//
// The three ways to infer fences on the programs of the paper that are small enough for all of them
// (three_ways.h), and whole-graph inference where its answer is known beforehand. Random programs are in
// tests/fuzz/fuzz_inference.cpp.
#include "reference/avoid/avoid.h"

#include <gtest/gtest.h>

#include "env/source.h"
#include "unit/reference/three_ways.h"
#include "unit/synth/synth_testing.h"

namespace fenceline {
namespace {

using testing::kPeterson;
using testing::Smallest;
using testing::ThreeWays;
using Outcome = Smallest::Outcome;

struct Question {
  const char* program;  // of corpus/blender
  const char* property;
  const char* model;
  const char* abstraction;
  size_t fences;
  bool whole_graph;
};

// Numbers of fences are those of docs/inference.md and of the headers in corpus/blender.
constexpr Question kQuestions[] = {
    {"pet0", "mutex", "tso", "fd1", 2, true},     {"pet0", "mutex", "tso", "fd2", 1, false},
    {"pet0", "mutex", "pso", "fd1", 2, true},     {"pet0", "mutex", "pso", "pd1", 2, false},
    {"dek0", "mutex", "tso", "fd1", 2, false},    {"dek0", "mutex", "pso", "fd1", 2, false},
    {"dek0", "mutex", "pso", "pd1", 2, false},    {"fast1a", "mutex", "pso", "fd1", 2, true},
    {"fast1b", "mutex", "pso", "fd1", 2, true},   {"sense0", "count", "pso", "fd1", 1, true},
    {"sense0", "together", "pso", "fd1", 0, true}};

std::string name_of(const Question& question) {
  return std::string(question.program) + " " + question.property + " " + question.model + " " +
         question.abstraction;
}

TEST(ThreeWays, AgreeOnTheProgramsOfThePaper) {
  for (const Question& question : kQuestions) {
    SCOPED_TRACE(name_of(question));
    const std::string path = std::string(FENCELINE_CORPUS_DIR) + "/blender/" + question.program + ".fl";
    ThreeWays ways(read_source_file(path), question.model, question.abstraction, Positions::kStores);
    ways.only_property(question.property);
    const Smallest all = ways.by_trying_all(), lazy = ways.lazily();
    ASSERT_EQ(all.outcome, Outcome::kFound) << to_string(all);
    EXPECT_EQ(all.count(), question.fences);
    EXPECT_EQ(to_string(lazy), to_string(all));
    if (!question.whole_graph) continue;
    const Smallest graph = ways.by_avoiding();
    ASSERT_EQ(graph.outcome, Outcome::kFound) << to_string(graph);
    EXPECT_EQ(graph.count(), question.fences);
    for (const testing::PositionSet& positions : graph.sets) EXPECT_TRUE(all.sets.contains(positions));
  }
}

// One queue in order is all that Peterson's algorithm needs on TSO; with less of the order, a fence more.
TEST(ThreeWays, PetersonNeedsTheOrderOnTso) {
  ThreeWays one({"test.fl", kPeterson}, "tso", "fd1", Positions::kStores);
  ThreeWays two({"test.fl", kPeterson}, "tso", "fd2", Positions::kStores);
  EXPECT_EQ(one.by_trying_all().count(), 2U);
  EXPECT_EQ(two.by_trying_all().count(), 1U);
  EXPECT_FALSE(one.lazily().exact);
  EXPECT_TRUE(two.lazily().exact);
}

TEST(ThreeWays, NothingHelpsAgainstARace) {
  const SourceFile race{"test.fl",
                        "shared int x;\nthread P[i in 0..1] { while (true) { x = 1; c: skip; } }\n"
                        "property p: never (P[0]@c && P[1]@c);\n"};
  for (const char* model : {"tso", "pso"}) {
    ThreeWays ways(race, model, "fd1", Positions::kStores);
    EXPECT_EQ(ways.by_trying_all().outcome, Outcome::kNothing);
    EXPECT_EQ(ways.lazily().outcome, Outcome::kNothing);
    EXPECT_EQ(ways.by_avoiding().outcome, Outcome::kNothing);
  }
}

// A constraint is enforced by fences on all ways from the store to the access. Here all wrong runs go through
// `w = 2`, and a fence behind it stops them; but another way leads past it, so that whole-graph inference
// puts one behind each of the two stores before.
TEST(ThreeWays, ConstraintsDoNotKnowWhichWayARunTakes) {
  const SourceFile file{"test.fl", R"(shared int a, b, w, y;
thread P {
  int r, s;
  while (true) {
    s = w;
    if (s == 1) { a = 1; } else { b = 1; }
    s = w;
    if (s == 1) { w = 2; }
    r = y;
    if (s == 1 && r == 0) { c: skip; }
    a = 0;
    fence;
    b = 0;
    fence;
  }
}
thread Q {
  int r, s;
  while (true) {
    w = 1;
    fence;
    y = 1;
    fence;
    r = a;
    s = b;
    if (r == 0 && s == 0) { c: skip; }
    y = 0;
    fence;
  }
}
property p: never (P@c && Q@c);
)"};
  ThreeWays ways(file, "pso", "fd1", Positions::kStores);
  const Smallest all = ways.by_trying_all(), lazy = ways.lazily(), graph = ways.by_avoiding();
  EXPECT_EQ(to_string(lazy), to_string(all));
  ASSERT_EQ(all.outcome, Outcome::kFound);
  ASSERT_EQ(graph.outcome, Outcome::kFound);
  EXPECT_EQ(all.count(), 1U) << to_string(all);
  EXPECT_EQ(graph.count(), 2U) << to_string(graph);
}

// With K = 0 fences cannot bring sequential consistency back: one waiting store may leave any number of
// times.
TEST(ThreeWays, NothingCanBeProvedWithoutOrder) {
  ThreeWays ways(read_source_file(std::string(FENCELINE_CORPUS_DIR) + "/blender/fast1a.fl"), "pso", "fd0",
                 Positions::kStores);
  EXPECT_EQ(ways.by_trying_all().outcome, Outcome::kNothing);
  EXPECT_EQ(ways.lazily().outcome, Outcome::kNothing);
}

}  // namespace
}  // namespace fenceline
