// SPDX-License-Identifier: GPL-3.0-or-later
//
// Unfoldings follow the program, edge by edge, until a loop has reached its bound; loops
// may be nested, left from the middle, and entered there (goto).
#include "engine/sat/unfolding.h"

#include <gtest/gtest.h>

#include <optional>
#include <utility>

#include "base/rng.h"
#include "frontend/fl/fl.h"
#include "ir/builder.h"

namespace fenceline::sat {
namespace {

// A thread that goes anywhere: instructions with one or two successors, and an end.
Program random_graph(Rng& rng) {
  ProgramBuilder builder(SourceFile{"random", ""});
  ThreadBuilder& thread = builder.thread("T", {});
  const auto size = static_cast<size_t>(rng.between(2, 9));
  std::vector<ThreadBuilder::Label> labels;
  for (size_t i = 0; i <= size; ++i) labels.push_back(thread.label());
  for (size_t i = 0; i < size; ++i) {
    thread.bind(labels[i]);
    const auto somewhere = [&] { return labels[rng.chance(40) ? i + 1 : rng.below(size + 1)]; };
    if (rng.chance(60)) {
      thread.choose({somewhere(), somewhere()}, {});
    } else {
      thread.mark("", {});
      thread.jump(somewhere());
    }
  }
  thread.bind(labels[size]);
  thread.halt({});
  return builder.finish();
}

void expect_well_formed(const Overlay& overlay, const Unfolding& unfolding) {
  const std::vector<Unfolding::Node>& nodes = unfolding.nodes();
  for (uint32_t i = 0; i < nodes.size(); ++i) {
    const Unfolding::Node& node = nodes[i];
    if (node.beyond) {
      EXPECT_TRUE(node.out.empty());
      continue;
    }
    ASSERT_EQ(node.out.size(), overlay.at(node.thread, node.point).next.size());
    for (uint32_t slot = 0; slot < node.out.size(); ++slot) {
      const uint32_t to = node.out[slot];
      ASSERT_LT(to, nodes.size());
      EXPECT_GT(to, i) << "the order of the nodes contradicts an edge";
      EXPECT_EQ(nodes[to].thread, node.thread);
      EXPECT_EQ(nodes[to].point, overlay.next(node.thread, node.point, slot));
      int edges = 0;
      for (const Unfolding::Edge& edge : nodes[to].in) edges += edge.from == i && edge.slot == slot;
      EXPECT_EQ(edges, 1);
    }
    for (const Unfolding::Edge& edge : node.in) EXPECT_EQ(nodes[edge.from].out[edge.slot], i);
  }
  for (const Unfolding::Iteration& iteration : unfolding.iterations())
    EXPECT_TRUE(iteration.header == Unfolding::kNone ||
                &unfolding.iterations()[nodes[iteration.header].iteration] == &iteration);
}

// Takes these turns. Returns the node where the thread ends or exceeds the bounds, and how far it got.
std::pair<uint32_t, size_t> walk(const Unfolding& unfolding, const std::vector<uint64_t>& turns) {
  uint32_t node = unfolding.entries().front();
  for (size_t step = 0; step < turns.size(); ++step) {
    const std::vector<uint32_t>& out = unfolding.nodes()[node].out;
    if (out.empty()) return {node, step};
    node = out[turns[step] % out.size()];
  }
  return {node, turns.size()};
}

TEST(SatUnfolding, UnrollsEveryPathAsFarAsItsBoundsAreRaised) {
  for (uint64_t seed = 1; seed <= 500; ++seed) {
    SCOPED_TRACE(::testing::Message() << "seed " << seed);
    Rng rng(seed);
    const Program program = random_graph(rng);
    const FenceSet none;
    const Overlay overlay(program, none);
    std::vector<uint64_t> turns;
    for (int i = 0; i < 12; ++i) turns.push_back(rng.below(2));
    LoopBounds bounds;
    size_t furthest = 0;
    for (int attempt = 0; attempt < 100; ++attempt) {
      const Unfolding unfolding(overlay, bounds);
      expect_well_formed(overlay, unfolding);
      if (HasFailure()) return;
      const auto [node, steps] = walk(unfolding, turns);
      const Unfolding::Node& last = unfolding.nodes()[node];
      if (!last.beyond) break;
      EXPECT_TRUE(attempt == 0 || steps > furthest) << "a bound was raised in vain";
      furthest = steps;
      const auto [bound, is_new] = bounds.emplace(last.loop, 1);
      EXPECT_EQ(unfolding.iterations()[last.iteration].number, bound->second);
      ++bound->second;
    }
    EXPECT_LE(furthest, turns.size());
  }
}

class Unfolded {
 public:
  explicit Unfolded(const std::string& body)
      : program_(frontend::parse_fl({"test.fl", "shared int x, y;\nthread T {\n  int r, s;\n" + body +
                                                    "\n}\nproperty p: never (x == 7);\n"})),
        overlay_(program_, none_) {}

  Unfolding with(const LoopBounds& bounds) const { return Unfolding(overlay_, bounds); }
  // How many nodes are stores.
  size_t stores(const Unfolding& unfolding) const {
    size_t count = 0;
    for (const Unfolding::Node& node : unfolding.nodes())
      count += !node.beyond && overlay_.at(node.thread, node.point).kind == InstrKind::kStore;
    return count;
  }
  // With every loop unrolled so often.
  Unfolding to(uint32_t iterations) const {
    LoopBounds bounds;
    for (;;) {
      Unfolding unfolding = with(bounds);
      bool raised = false;
      for (const Unfolding::Node& node : unfolding.nodes())
        if (node.beyond && bounds.emplace(node.loop, 1).first->second < iterations) {
          bounds[node.loop] = iterations;
          raised = true;
        }
      if (!raised) return unfolding;
    }
  }

 private:
  Program program_;
  FenceSet none_;
  Overlay overlay_;
};

TEST(SatUnfolding, WithoutLoopsIsTheProgram) {
  const Unfolded program("x = 1; if (x == 1) { y = 1; } else { y = 2; } x = 3;");
  const Unfolding unfolding = program.with({});
  EXPECT_EQ(program.stores(unfolding), 4U);
  EXPECT_TRUE(unfolding.iterations().empty());
}

TEST(SatUnfolding, BodiesAreCopiedUpToTheBounds) {
  const Unfolded once("while (r < 9) { x = r; r = r + 1; }");
  EXPECT_EQ(once.stores(once.with({})), 1U);
  EXPECT_EQ(once.stores(once.to(3)), 3U);
}

TEST(SatUnfolding, InnerLoopsAreUnrolledInEachIterationOfTheOuterOne) {
  const Unfolded nested("while (r < 9) { s = 0; while (s < 9) { x = s; s = s + 1; } r = r + 1; }");
  EXPECT_EQ(nested.stores(nested.to(1)), 1U);
  EXPECT_EQ(nested.stores(nested.to(3)), 9U);
}

TEST(SatUnfolding, EachOccurrenceOfAnInnerLoopHasItsOwnBound) {
  const Unfolded nested("while (r < 9) { s = 0; while (s < 9) { x = s; s = s + 1; } r = r + 1; }");
  LoopBounds bounds;
  // Raise the bound of the first beyond node, a few times: only that occurrence grows.
  size_t before = nested.stores(nested.with(bounds));
  for (int i = 0; i < 3; ++i) {
    const Unfolding unfolding = nested.with(bounds);
    LoopInstance innermost;
    for (const Unfolding::Node& node : unfolding.nodes())
      if (node.beyond && node.loop.size() > innermost.size()) innermost = node.loop;
    ++bounds.emplace(innermost, 1).first->second;
    const size_t after = nested.stores(nested.with(bounds));
    EXPECT_EQ(after, before + 1);
    before = after;
  }
}

TEST(SatUnfolding, LoopsEnteredInTheMiddle) {
  const Unfolded irreducible(
      "if (r == 0) goto middle;\nfirst: x = 1;\nmiddle: y = 1;\nif (y == 0) goto first;\nx = 2;");
  // On both edges in: x = 1 and y = 1 for each iteration, x = 2 behind it.
  const Unfolding unfolding = irreducible.to(2);
  EXPECT_GE(irreducible.stores(unfolding), 5U);
}

}  // namespace
}  // namespace fenceline::sat
