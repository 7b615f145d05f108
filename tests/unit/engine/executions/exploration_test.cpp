// SPDX-License-Identifier: GPL-3.0-or-later
//
// How many executions the exploration finds: each exactly once, so the numbers of litmus tests, counted by hand, are
// exact. That all other programs have the right number, too, is for tests/fuzz/fuzz_executions.cpp.
#include "engine/executions/exploration.h"

#include <gtest/gtest.h>

#include <map>
#include <set>
#include <string>
#include <vector>

#include "env/errors.h"
#include "frontend/fl/fl.h"
#include "model/cat/cat.h"

namespace fenceline::executions {
namespace {

struct Explored {
  ExplorationResult result;
  std::map<LeafKind, uint64_t> leaves;
  std::set<std::vector<Value>> memories;  // of complete executions, at the end
  uint64_t restarts = 0;
};

class Exploration {
 public:
  explicit Exploration(const std::string& text)
      : program_(frontend::parse_fl({"test.fl", text + "\nproperty p: finally (x == x);\n"})) {}

  ExplorationOptions options;
  std::function<bool(const Leaf&)> visit;  // besides counting

  // Of the n-th access of a thread, from 0.
  Exploration& tagged(size_t thread, size_t n, const std::string& tag) {
    for (Instruction& i : program_.threads[thread].code)
      if (i.is_memory_access() && n-- == 0) i.tags = {tag};
    return *this;
  }

  Explored on(const CatModel& model) {
    Explored found;
    const FenceSet no_fences;
    const Overlay overlay(program_, no_fences);
    const ModelPlan plan(model, overlay);
    const Liveness used(program_, Reads::kUsed, {});
    const WaitLoops wait_loops(overlay, used, std::vector<bool>(program_.cell_count));
    const ThreadCode code(overlay, plan.uses_dependencies(), {.wait_loops = &wait_loops});
    options.restart = [&found] {
      ++found.restarts;
      found.leaves.clear();
      found.memories.clear();
    };
    found.result = explore(code, plan, options, [&](const Leaf& leaf) {
      ++found.leaves[leaf.kind];
      std::vector<Value> memory;
      for (size_t c = 0; c < program_.cell_count; ++c) memory.push_back(leaf.cell(CellId(c)));
      if (leaf.kind == LeafKind::kComplete) found.memories.insert(memory);
      return !visit || visit(leaf);
    });
    return found;
  }
  Explored on(const std::string& model) { return on(shipped_cat(model)); }

  // How many complete executions. Precondition: no limit.
  uint64_t executions(const std::string& model) {
    const Explored found = on(model);
    EXPECT_TRUE(found.result.finished);
    EXPECT_FALSE(found.result.too_large || found.result.too_long);
    const auto complete = found.leaves.find(LeafKind::kComplete);
    EXPECT_EQ(found.result.executions, complete == found.leaves.end() ? 0 : complete->second);
    return found.result.executions;
  }
  std::vector<uint64_t> on_sc_tso_rc11() { return {executions("sc"), executions("tso"), executions("rc11")}; }

 private:
  Program program_;
};

using Counts = std::vector<uint64_t>;  // on SC, TSO, RC11

// ---- Litmus tests. Every read may read the initial value or the one write: 2 to the power of the reads, less what the
// model forbids.

TEST(ExecutionsExploration, StoreBuffering) {
  const std::string text =
      "shared int x, y; thread P { int r; x = 1; r = y; } thread Q { int s; y = 1; s = x; }";
  EXPECT_EQ(Exploration(text).on_sc_tso_rc11(), (Counts{3, 4, 4}));
  const std::string fenced =
      "shared int x, y; thread P { int r; x = 1; fence; r = y; } thread Q { int s; y = 1; fence; s = x; }";
  EXPECT_EQ(Exploration(fenced).on_sc_tso_rc11(), (Counts{3, 3, 3}));
}

TEST(ExecutionsExploration, MessagePassing) {
  const std::string text = "shared int x, y; thread P { x = 1; y = 1; } thread Q { int r, s; r = y; s = x; }";
  EXPECT_EQ(Exploration(text).on_sc_tso_rc11(), (Counts{3, 3, 4}));
  EXPECT_EQ(Exploration(text).tagged(0, 1, "REL").tagged(1, 0, "ACQ").executions("rc11"), 3u);
  EXPECT_EQ(Exploration(text).tagged(0, 1, "REL").executions("rc11"), 4u);
  EXPECT_EQ(Exploration(text).executions("armv8"), 4u);
  EXPECT_EQ(Exploration(text).tagged(0, 1, "L").tagged(1, 0, "A").executions("armv8"), 3u);
}

TEST(ExecutionsExploration, LoadBuffering) {
  const std::string text =
      "shared int x, y; thread P { int r; r = x; y = 1; } thread Q { int s; s = y; x = 1; }";
  EXPECT_EQ(Exploration(text).on_sc_tso_rc11(), (Counts{3, 3, 3}));
  // There are four; the one with the cycle is not for the exploration.
  EXPECT_EQ(Exploration(text).executions("armv8"), 3u);
  EXPECT_EQ(Exploration(text).executions("relaxed"), 3u);
}

TEST(ExecutionsExploration, TwoPlusTwoWrites) {
  const std::string text = "shared int x, y; thread P { x = 1; y = 2; } thread Q { y = 1; x = 2; }";
  EXPECT_EQ(Exploration(text).on_sc_tso_rc11(), (Counts{3, 3, 4}));
  EXPECT_EQ(Exploration(text).executions("pso"), 4u);
  EXPECT_EQ(Exploration(text).on("sc").memories, (std::set<std::vector<Value>>{{1, 2}, {2, 1}, {2, 2}}));
}

TEST(ExecutionsExploration, IndependentReads) {
  const std::string text =
      "shared int x, y; thread A { x = 1; } thread B { y = 1; }"
      "thread P { int r, s; r = x; s = y; } thread Q { int t, u; t = y; u = x; }";
  EXPECT_EQ(Exploration(text).on_sc_tso_rc11(), (Counts{15, 15, 16}));
}

TEST(ExecutionsExploration, CoherenceOfReads) {
  const std::string text = "shared int x; thread P { x = 1; } thread Q { int r, s; r = x; s = x; }";
  EXPECT_EQ(Exploration(text).on_sc_tso_rc11(), (Counts{3, 3, 3}));
  EXPECT_EQ(Exploration(text).executions("rmo"), 4u);  // two loads of one location may be swapped
}

// ---- Families

TEST(ExecutionsExploration, ReadModifyWritesComeOneAfterTheOther) {
  std::string text = "shared int x; ";
  uint64_t orders = 1;
  for (uint64_t n = 1; n <= 5; ++n) {
    text += "thread P" + std::to_string(n) + " { int r; r = fetch_add(x, 1); } ";
    orders *= n;
    EXPECT_EQ(Exploration(text).on_sc_tso_rc11(), (Counts{orders, orders, orders})) << n;
    EXPECT_EQ(Exploration(text).on("rc11").memories, (std::set<std::vector<Value>>{{static_cast<Value>(n)}}));
  }
}

TEST(ExecutionsExploration, WritersHaveAllCoherenceOrders) {
  std::string text = "shared int x; ";
  uint64_t orders = 1;
  for (uint64_t n = 1; n <= 5; ++n) {
    text += "thread P" + std::to_string(n) + " { x = " + std::to_string(n) + "; } ";
    orders *= n;
    EXPECT_EQ(Exploration(text).on_sc_tso_rc11(), (Counts{orders, orders, orders})) << n;
    EXPECT_EQ(Exploration(text).on("rc11").memories.size(), n);
  }
}

TEST(ExecutionsExploration, ReadersReadEitherValue) {
  for (const bool writer_first : {true, false}) {
    const std::string writer = "thread W { x = 1; } ";
    std::string readers;
    for (uint64_t n = 1; n <= 6; ++n) {
      readers += "thread R" + std::to_string(n) + " { int r; r = x; } ";
      const std::string text = "shared int x; " + (writer_first ? writer + readers : readers + writer);
      EXPECT_EQ(Exploration(text).on_sc_tso_rc11(), (Counts{1u << n, 1u << n, 1u << n})) << n;
    }
  }
}

// A writer of values 1 to n and readers that read once: n + 1 values each.
TEST(ExecutionsExploration, ReadersOfManyWrites) {
  const std::string text =
      "shared int x; thread R { int r; r = x; } thread W { x = 1; x = 2; x = 3; } thread S { int r; r = x; }";
  EXPECT_EQ(Exploration(text).on_sc_tso_rc11(), (Counts{16, 16, 16}));
}

// One of the two finds 0, and what the other finds does not depend on how it loses.
TEST(ExecutionsExploration, CompareExchange) {
  const std::string text =
      "shared int x; thread P { int r; r = cas(x, 0, 1); } thread Q { int r; r = cas(x, 0, 2); }";
  EXPECT_EQ(Exploration(text).on_sc_tso_rc11(), (Counts{2, 2, 2}));
  EXPECT_EQ(Exploration(text).on("tso").memories, (std::set<std::vector<Value>>{{1}, {2}}));
}

// Products of sets as terms of their own: no shipped model has them in an axiom.
TEST(ExecutionsExploration, ModelWithAProductOfSets) {
  const CatModel model = load_cat({"test.cat", "acyclic po | rmw | rf | co | fr | (IW * (M \\ IW)) as sc\n"});
  EXPECT_EQ(
      Exploration("shared int x, y; thread P { int r; x = 1; r = y; } thread Q { int s; y = 1; s = x; }")
          .on(model)
          .result.executions,
      3u);
  // With the second choice, the number of the initial write of y is that of a write of P.
  const std::string text =
      "shared int x, y; thread P { int r, s; havoc r in 0..1; s = x; if (r == 0) y = 1; else x = 1; }";
  EXPECT_EQ(Exploration(text).on(model).memories, (std::set<std::vector<Value>>{{0, 1}, {1, 0}}));
}

// A choice is no event to the model: not even of the identity.
TEST(ExecutionsExploration, ChoicesAreInNoRelation) {
  for (const char* axiom : {"irreflexive (po*) \\ id", "empty (po? \\ (po | id))", "empty ~(_ * _)",
                            "irreflexive (~id) & (_ * _)", "empty (domain(id) \\ M)"}) {
    const CatModel model =
        load_cat({"test.cat", "acyclic po | rf | co | fr as sc\n" + std::string(axiom) + " as c\n"});
    const std::string text = "shared int x; thread P { int r; havoc r in 0..2; x = r; }";
    EXPECT_EQ(Exploration(text).on(model).result.executions, 3u) << axiom;
  }
}

// ---- Waiting

TEST(ExecutionsExploration, ALoopThatWaitsHasOneExecution) {
  for (const char* text :
       {"shared int x; thread P { while (x == 0) { } } thread Q { x = 1; }",
        "shared int x; thread Q { x = 1; } thread P { while (x == 0) { } }",
        "shared int x; thread Q { x = 1; } thread P { int r; do { r = x; } while (r == 0); }",
        "shared int x; thread P { int r; r = x; assume (r == 1); } thread Q { x = 1; }",
        "shared int x; thread P { await (x == 1); } thread Q { x = 1; }"}) {
    EXPECT_EQ(Exploration(text).on_sc_tso_rc11(), (Counts{1, 1, 1})) << text;
    EXPECT_EQ(Exploration(text).executions("armv8"), 1u) << text;
  }
  // The number of iterations before the second value counts: none, or one that is idle and left out.
  EXPECT_EQ(Exploration("shared int x; thread P { while (x != 2) { } } thread Q { x = 1; x = 2; }")
                .on_sc_tso_rc11(),
            (Counts{1, 1, 1}));
}

TEST(ExecutionsExploration, AThreadThatWaitsForEverIsBlocked) {
  for (const char* text : {"shared int x; thread P { while (x == 0) { } }",
                           "shared int x; thread P { int r; r = x; assume (r == 1); x = 2; }",
                           "shared int x; thread P { await (x == 1); } thread Q { x = 2; }"}) {
    const Explored found = Exploration(text).on("rc11");
    EXPECT_TRUE(found.result.finished) << text;
    EXPECT_EQ(found.result.executions, 0u) << text;
    EXPECT_EQ(found.result.blocked, 1u) << text;
    EXPECT_EQ(found.leaves, (std::map<LeafKind, uint64_t>{{LeafKind::kBlocked, 1}})) << text;
  }
}

TEST(ExecutionsExploration, ReadsThatCannotBeRevisitedAreDroppedOnRequestOnly) {
  Exploration pruned("shared int x; thread Q { x = 1; } thread P { int r; r = x; assume (r == 1); }");
  EXPECT_EQ(pruned.on("sc").result.blocked, 0u);
  pruned.options.prune_waits = false;
  EXPECT_EQ(pruned.on("sc").result.blocked, 1u);
  EXPECT_EQ(pruned.on("sc").result.executions, 1u);
}

// ---- Choices and errors

TEST(ExecutionsExploration, Choices) {
  EXPECT_EQ(Exploration("shared int x; thread P { int r; havoc r in 0..2; x = r; }").executions("sc"), 3u);
  EXPECT_EQ(
      Exploration("shared int x; thread P { int r, s; havoc r in 0..2; havoc s in 1..3; x = 3 * r + s; }")
          .on("tso")
          .memories.size(),
      9u);
  EXPECT_EQ(
      Exploration("shared int x; thread P { choose { x = 1; } or { x = 2; } or { } }").on("sc").memories,
      (std::set<std::vector<Value>>{{0}, {1}, {2}}));
  // The choice is behind a read that is revisited: two values times two choices, each once.
  const std::string text = "shared int x; thread P { int r, s; r = x; havoc s in 0..1; } thread Q { x = 1; }";
  EXPECT_EQ(Exploration(text).on_sc_tso_rc11(), (Counts{4, 4, 4}));
  // And the write that revisits depends on a choice of its own thread.
  const std::string both =
      "shared int x; thread P { int r, s; r = x; havoc s in 0..1; } thread Q { int t; havoc t in 1..3; x = "
      "t; }";
  EXPECT_EQ(Exploration(both).on_sc_tso_rc11(), (Counts{12, 12, 12}));
}

TEST(ExecutionsExploration, TooLargeARangeOfChoicesIsUnsupported) {
  EXPECT_THROW(Exploration("shared int x; thread P { int r; havoc r in 0..65536; x = r; }").on("sc"),
               Unsupported);
}

TEST(ExecutionsExploration, Errors) {
  const std::string text = "shared int x; thread P { int r; r = x; assert (r == 0); } thread Q { x = 1; }";
  Exploration errors(text);
  EXPECT_EQ(errors.on("sc").leaves,
            (std::map<LeafKind, uint64_t>{{LeafKind::kComplete, 1}, {LeafKind::kFailed, 1}}));
  EXPECT_TRUE(errors.on("sc").result.finished);
  // The visitor may end it.
  errors.visit = [](const Leaf& leaf) { return leaf.kind != LeafKind::kFailed; };
  EXPECT_FALSE(errors.on("sc").result.finished);
  EXPECT_EQ(errors.on("sc").result.limit, LimitReached::kNone);
  // Without regard to errors, a thread that fails does not go on.
  Exploration others(text);
  others.options.stop_at_errors = false;
  others.options.prune_waits = false;
  EXPECT_EQ(others.on("sc").leaves,
            (std::map<LeafKind, uint64_t>{{LeafKind::kComplete, 1}, {LeafKind::kBlocked, 1}}));
}

TEST(ExecutionsExploration, AValueThatLeaves64Bits) {
  const Explored found =
      Exploration("shared int x = 9223372036854775807; thread P { int r; r = x; x = r + 1; }").on("sc");
  EXPECT_TRUE(found.result.too_large);
  EXPECT_EQ(found.result.executions, 0u);
}

// ---- Limits

TEST(ExecutionsExploration, ALimitEndsIt) {
  std::string text = "shared int x; ";
  for (int n = 1; n <= 7; ++n) text += "thread P" + std::to_string(n) + " { int r; r = fetch_add(x, 1); } ";
  Limits limits;
  limits.interrupt();
  Exploration interrupted(text);
  interrupted.options.limits = &limits;
  const Explored found = interrupted.on("sc");
  EXPECT_FALSE(found.result.finished);
  EXPECT_EQ(found.result.limit, LimitReached::kInterrupt);
  EXPECT_LT(found.result.executions, 5040u);
}

std::string long_thread(size_t stores) {
  return "shared int x; thread P { int i; while (i < " + std::to_string(stores) + ") { x = i; i = i + 1; } }";
}

TEST(ExecutionsExploration, ManyEvents) {
  const std::map<size_t, uint64_t> restarts = {{60, 0}, {64, 1}, {100, 1}, {130, 2}, {260, 3}};
  for (const auto& [stores, expected] : restarts) {
    const Explored found = Exploration(long_thread(stores)).on("tso");
    EXPECT_TRUE(found.result.finished) << stores;
    EXPECT_EQ(found.result.executions, 1u) << stores;
    EXPECT_EQ(found.leaves, (std::map<LeafKind, uint64_t>{{LeafKind::kComplete, 1}})) << stores;
    EXPECT_EQ(found.result.largest, stores + 1) << stores;  // and the initial write
    EXPECT_EQ(found.restarts, expected) << stores;
  }
}

TEST(ExecutionsExploration, TooManyEvents) {
  const Explored found = Exploration(long_thread(1024)).on("sc");
  EXPECT_TRUE(found.result.too_long);
  EXPECT_FALSE(found.result.finished);
  EXPECT_FALSE(found.result.too_long_thread.valid());
}

// Sets of several words: a reader of a long thread, which its writes revisit.
TEST(ExecutionsExploration, ALongThreadThatIsRead) {
  const std::string reader = "\nthread Q { int r; r = x; }";
  EXPECT_EQ(Exploration(long_thread(70) + reader).executions("sc"), 71u);
  EXPECT_EQ(Exploration("shared int x;" + reader + long_thread(70).substr(13)).executions("sc"), 71u);
}

TEST(ExecutionsExploration, ALoopWithoutEventsThatDoesNotEnd) {
  const Explored found =
      Exploration("shared int x; thread P { int i; while (i >= 0) { i = i + 1; } x = i; }").on("sc");
  EXPECT_TRUE(found.result.too_long);
  EXPECT_TRUE(found.result.too_long_thread.valid());
  EXPECT_EQ(found.result.executions, 0u);
}

// ---- Atomic sections

TEST(ExecutionsExploration, ALockOfALoadAndAStore) {
  std::string text = "shared int x, l; ";
  uint64_t orders = 1;
  for (uint64_t n = 1; n <= 3; ++n) {
    text += "thread P" + std::to_string(n) +
            " { int r; atomic { r = l; assume (r == 0); l = 1; } x = x + 1; l = 0; }\n";
    orders *= n;
    for (const char* model : {"sc", "tso"}) {
      const Explored found = Exploration(text).on(model);
      EXPECT_EQ(found.result.executions, orders) << n << model;
      EXPECT_EQ(found.memories, (std::set<std::vector<Value>>{{static_cast<Value>(n), 0}})) << n << model;
    }
  }
}

std::string why_unsupported(const std::string& text) {
  try {
    Exploration(text).on("sc");
    return "";
  } catch (const Unsupported& unsupported) {
    return unsupported.what();
  }
}

TEST(ExecutionsExploration, LargerSectionsAreUnsupported) {
  const auto in_section = [](const std::string& body) {
    return why_unsupported("shared int x, y;\nthread P {\n  int r;\n  atomic { " + body + " }\n}\n");
  };
  const std::string why = "an atomic section that does more than load one location and store to it (line 4)";
  EXPECT_EQ(in_section("r = x; y = 1;"), why);
  EXPECT_EQ(in_section("x = 1; r = x;"), why);
  EXPECT_EQ(in_section("x = 1; x = 2;"), why);
  EXPECT_EQ(in_section("r = x; r = x;"), why);
  EXPECT_EQ(in_section("r = x; x = 1; x = 2;"), why);
  EXPECT_EQ(in_section("r = x; x = r + 1;"), "");
  EXPECT_EQ(in_section("r = x;"), "");
  EXPECT_EQ(in_section("x = 1;"), "");
  EXPECT_EQ(in_section("r = x; if (r == 5) y = 1;"), "");  // it never gets there
}

}  // namespace
}  // namespace fenceline::executions
