// SPDX-License-Identifier: GPL-3.0-or-later
//
// The labelled graph that whole-graph inference starts from: which steps can be prevented, and by what.
#include <gtest/gtest.h>

#include <algorithm>
#include <set>

#include "engine/coherence/graph_builder.h"
#include "env/silent_env.h"
#include "frontend/fl/fl.h"
#include "model/memory_model.h"
#include "property/properties.h"

namespace fenceline::coherence {
namespace {

struct Explored {
  Program program;
  LabelledGraph graph;
};

Explored explore(const std::string& text, const std::string& model, const std::string& abstraction,
                 uint64_t most_bytes = 0) {
  Explored explored{frontend::parse_fl({"test.fl", text}), {}};
  const Options options;
  Limits limits(0, most_bytes);
  SilentEnv env(options, limits);
  const FenceSet none;
  const Property property = property::properties_to_check(explored.program, options).front();
  explored.graph = build_labelled_graph({explored.program, none, memory_model(model), property},
                                        buffer::parse_abstraction(abstraction), env);
  return explored;
}

// "P 3<4": thread and lines of every constraint that prevents some step.
std::set<std::string> constraints(const Explored& explored) {
  std::set<std::string> found;
  std::vector<bool> used(explored.graph.constraint_sets.size(), false);
  for (const LabelledGraph::Edge& edge : explored.graph.edges) used[edge.prevent] = true;
  for (size_t set = 0; set < used.size(); ++set)
    for (const OrderConstraint& c : explored.graph.constraint_sets[set]) {
      const Thread& thread = explored.program.thread(c.thread);
      if (used[set])
        found.insert(thread.name + " " + std::to_string(thread.at(c.store).pos.line) + "<" +
                     std::to_string(thread.at(c.access).pos.line));
    }
  return found;
}

// What can be reached from the first state by steps that nothing prevents.
std::set<uint32_t> unpreventable(const LabelledGraph& graph) {
  std::set<uint32_t> reached = {0};
  for (bool more = true; more;) {
    more = false;
    for (const LabelledGraph::Edge& edge : graph.edges)
      if (edge.prevent == LabelledGraph::kUnpreventable && reached.contains(edge.from))
        more |= reached.insert(edge.to).second;
  }
  return reached;
}

constexpr const char* kStoreBuffering = R"(shared int x, y;
thread P { int r;
  x = 1;
  r = y;
}
thread Q { int s;
  y = 1;
  s = x;
}
property sb: finally (P.r == 1 || Q.s == 1);
)";

TEST(LabelledGraph, StoresBeforeLoadsPreventStoreBuffering) {
  for (const char* model : {"tso", "pso"})
    for (const char* abstraction : {"fd0", "fd1", "pd1"}) {
      const Explored explored = explore(kStoreBuffering, model, abstraction);
      const LabelledGraph& graph = explored.graph;
      ASSERT_TRUE(graph.complete) << graph.why_not;
      EXPECT_EQ(graph.one_is_enough, abstraction[0] == 'f');
      EXPECT_EQ(constraints(explored), (std::set<std::string>{"P 3<4", "Q 7<8"}));
      ASSERT_FALSE(graph.errors.empty());
      for (const uint32_t bad : graph.errors) {
        ASSERT_LT(bad, graph.states);
        EXPECT_FALSE(unpreventable(graph).contains(bad));
      }
      for (const LabelledGraph::Edge& edge : graph.edges) {
        ASSERT_LT(edge.from, graph.states);
        ASSERT_LT(edge.to, graph.states);
        ASSERT_LT(edge.prevent, graph.constraint_sets.size());
      }
      EXPECT_TRUE(graph.constraint_sets[LabelledGraph::kUnpreventable].empty());
    }
}

TEST(LabelledGraph, AFenceInTheProgramLeavesNothingToPrevent) {
  std::string text = kStoreBuffering;
  for (const char* load : {"  r = y;", "  s = x;"}) text.insert(text.find(load), "  fence;");
  const Explored explored = explore(text, "tso", "fd1");
  EXPECT_TRUE(explored.graph.errors.empty());
  EXPECT_TRUE(constraints(explored).empty());
}

TEST(LabelledGraph, WhatFailsOnScCannotBePrevented) {
  const LabelledGraph graph =
      explore("shared int x; thread P { x = 1; } property p: never (x == 1);", "pso", "fd1").graph;
  ASSERT_FALSE(graph.errors.empty());
  EXPECT_TRUE(unpreventable(graph).contains(graph.errors.front()));
}

// A failing step leads to a bad state of its own.
TEST(LabelledGraph, StepsThatFailLeadToABadState) {
  const LabelledGraph graph = explore(
                                  "shared int x, y;\nthread P { x = 1; int r = y; assert(r == 0); }\n"
                                  "thread Q { y = 1; }",
                                  "tso", "fd1")
                                  .graph;
  ASSERT_EQ(graph.errors.size(), 1U);
  EXPECT_EQ(graph.errors.front(), graph.states - 1);
}

TEST(LabelledGraph, GoesOnBehindBadStates) {
  const LabelledGraph graph =
      explore("shared int x; thread P { x = 1; x = 2; x = 3; } property p: never (x > 0);", "pso", "fd3")
          .graph;
  EXPECT_GT(graph.errors.size(), 2U);
}

TEST(LabelledGraph, ALimitIsAReason) {
  const char* text = R"(shared int x[2], y;
thread T[i in 0..1] { int r;
  while (true) { x[i] = 1; y = 1 - i; r = x[1-i]; if (r == 0) { c: skip; } x[i] = 0; y = i; }
}
property p: never (T[0]@c && T[1]@c);
)";
  const LabelledGraph graph = explore(text, "pso", "fd2", 1 << 10).graph;
  EXPECT_FALSE(graph.complete);
  EXPECT_NE(graph.why_not.find("memory limit"), std::string::npos);
}

}  // namespace
}  // namespace fenceline::coherence
