// SPDX-License-Identifier: GPL-3.0-or-later
//
// The three methods to infer fences on the programs of the paper that are small enough for all of them
// (method_comparison.h), and whole-graph inference where its answer is known beforehand. Random programs are in
// tests/fuzz/fuzz_inference.cpp.
#include "reference/avoid/avoid.h"

#include <gtest/gtest.h>

#include "env/source.h"
#include "unit/reference/method_comparison.h"
#include "unit/synth/synth_testing.h"

namespace fenceline::reference {
namespace {

using testing::kPeterson;
using testing::MethodComparison;
using testing::Smallest;
using Outcome = Smallest::Outcome;

struct Query {
  const char* program;  // of corpus/blender
  const char* property;
  const char* model;
  const char* abstraction;
  size_t fences;
  bool whole_graph;
};

// Numbers of fences are those of docs/inference.md and of the headers in corpus/blender.
constexpr Query kQueries[] = {
    {"pet0", "mutex", "tso", "fd1", 2, true},     {"pet0", "mutex", "tso", "fd2", 1, false},
    {"pet0", "mutex", "pso", "fd1", 2, true},     {"pet0", "mutex", "pso", "pd1", 2, false},
    {"dek0", "mutex", "tso", "fd1", 2, false},    {"dek0", "mutex", "pso", "fd1", 2, false},
    {"dek0", "mutex", "pso", "pd1", 2, false},    {"fast1a", "mutex", "pso", "fd1", 2, true},
    {"fast1b", "mutex", "pso", "fd1", 2, true},   {"sense0", "count", "pso", "fd1", 1, true},
    {"sense0", "together", "pso", "fd1", 0, true}};

std::string name_of(const Query& query) {
  return std::string(query.program) + " " + query.property + " " + query.model + " " + query.abstraction;
}

TEST(MethodComparison, AgreeOnTheProgramsOfThePaper) {
  for (const Query& query : kQueries) {
    SCOPED_TRACE(name_of(query));
    const std::string path = std::string(FENCELINE_CORPUS_DIR) + "/blender/" + query.program + ".fl";
    MethodComparison methods(read_source_file(path), query.model, query.abstraction,
                             synth::Positions::kStores);
    methods.only_property(query.property);
    const Smallest all = methods.by_trying_all(), lazy = methods.lazily();
    ASSERT_EQ(all.outcome, Outcome::kFound) << to_string(all);
    EXPECT_EQ(all.count(), query.fences);
    EXPECT_EQ(to_string(lazy), to_string(all));
    if (!query.whole_graph) continue;
    const Smallest graph = methods.by_avoiding();
    ASSERT_EQ(graph.outcome, Outcome::kFound) << to_string(graph);
    EXPECT_EQ(graph.count(), query.fences);
    for (const testing::PositionSet& positions : graph.sets) EXPECT_TRUE(all.sets.contains(positions));
  }
}

// One queue in order is all that Peterson's algorithm needs on TSO; with less of the order, a fence more.
TEST(MethodComparison, PetersonNeedsTheOrderOnTso) {
  MethodComparison one({"test.fl", kPeterson}, "tso", "fd1", synth::Positions::kStores);
  MethodComparison two({"test.fl", kPeterson}, "tso", "fd2", synth::Positions::kStores);
  EXPECT_EQ(one.by_trying_all().count(), 2U);
  EXPECT_EQ(two.by_trying_all().count(), 1U);
  EXPECT_FALSE(one.lazily().exact);
  EXPECT_TRUE(two.lazily().exact);
}

TEST(MethodComparison, NothingHelpsAgainstARace) {
  const SourceFile race{"test.fl",
                        "shared int x;\nthread P[i in 0..1] { while (true) { x = 1; c: skip; } }\n"
                        "property p: never (P[0]@c && P[1]@c);\n"};
  for (const char* model : {"tso", "pso"}) {
    MethodComparison methods(race, model, "fd1", synth::Positions::kStores);
    EXPECT_EQ(methods.by_trying_all().outcome, Outcome::kNothing);
    EXPECT_EQ(methods.lazily().outcome, Outcome::kNothing);
    EXPECT_EQ(methods.by_avoiding().outcome, Outcome::kNothing);
  }
}

// A constraint is enforced by fences on all paths from the store to the access. Here all counterexamples pass
// `w = 2`, and a fence behind it prevents them; but another path avoids it, so that whole-graph inference
// puts one behind each of the two stores before.
TEST(MethodComparison, ConstraintsIgnoreThePathOfTheCounterexample) {
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
  MethodComparison methods(file, "pso", "fd1", synth::Positions::kStores);
  const Smallest all = methods.by_trying_all(), lazy = methods.lazily(), graph = methods.by_avoiding();
  EXPECT_EQ(to_string(lazy), to_string(all));
  ASSERT_EQ(all.outcome, Outcome::kFound);
  ASSERT_EQ(graph.outcome, Outcome::kFound);
  EXPECT_EQ(all.count(), 1U) << to_string(all);
  EXPECT_EQ(graph.count(), 2U) << to_string(graph);
}

// With K = 0 fences cannot restore sequential consistency: one pending store may be flushed any number of
// times.
TEST(MethodComparison, NothingCanBeProvedWithoutOrder) {
  MethodComparison methods(read_source_file(std::string(FENCELINE_CORPUS_DIR) + "/blender/fast1a.fl"), "pso",
                           "fd0", synth::Positions::kStores);
  EXPECT_EQ(methods.by_trying_all().outcome, Outcome::kNothing);
  EXPECT_EQ(methods.lazily().outcome, Outcome::kNothing);
}

}  // namespace
}  // namespace fenceline::reference
