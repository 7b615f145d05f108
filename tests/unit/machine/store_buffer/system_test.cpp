// SPDX-License-Identifier: GPL-3.0-or-later
//
// What the machines allow, seen through the narrow waist: final states of small programs, fences as an
// overlay, the meaning of each fence on each model, growth of buffers.
#include <gtest/gtest.h>

#include <set>
#include <string>
#include <vector>

#include "frontend/fl/fl.h"
#include "machine/store_buffer/growth.h"
#include "machine/store_buffer/system.h"

namespace fenceline::machine {
namespace {

using Finals = std::set<std::vector<Value>>;  // memory cells

// A naive search that keeps whole states in a std::set.
class Explorer final : public StateSink {
 public:
  explicit Explorer(const System& system) : system_(system), worker_(system.worker()) {
    worker_->initial(*this);
    while (!todo_.empty()) {
      std::string state = todo_.back();
      todo_.pop_back();
      const size_t size = state.size();
      state.resize(size + kBitSlack);
      worker_->successors({reinterpret_cast<const uint8_t*>(state.data()), size}, *this);
    }
  }

  void expanding(const StateView& view) override {
    if (!view.final_state) return;
    finals.insert({view.memory, view.memory + system_.code().program().cell_count});
  }
  void buffer_full() override {}
  void state(PackedState packed) override {
    const std::string copy(packed.begin(), packed.end());
    if (seen.insert(copy).second) todo_.push_back(copy);
  }
  void error() override { ++errors; }
  void overflow() override { ++overflows; }

  Finals finals;
  std::set<std::string> seen;
  size_t errors = 0, overflows = 0;

 private:
  const System& system_;
  std::unique_ptr<TransitionSystem> worker_;
  std::vector<std::string> todo_;
};

Program program(const std::string& text) {
  return frontend::parse_fl({"test.fl", text + "\nproperty p: finally (1);\n"});
}

Finals finals(const std::string& text, const char* model, bool reduce = true, const FenceSet& fences = {}) {
  const Program p = program(text);
  const System system(p, fences, memory_model(model), {}, {}, {.reduce = reduce});
  return Explorer(system).finals;
}

constexpr const char* kStoreBuffering = R"(
  shared int x, y, a, b;
  thread P { x = 1; a = y; }
  thread Q { y = 1; b = x; }
)";

TEST(System, StoreBufferingOnEachModel) {
  const std::vector<Value> both_zero{1, 1, 0, 0};
  for (const bool reduce : {false, true}) {
    EXPECT_EQ(finals(kStoreBuffering, "sc", reduce).count(both_zero), 0U);
    EXPECT_EQ(finals(kStoreBuffering, "tso", reduce).count(both_zero), 1U);
    EXPECT_EQ(finals(kStoreBuffering, "pso", reduce).count(both_zero), 1U);
    EXPECT_EQ(finals(kStoreBuffering, "sc", reduce).size(), 3U);
    EXPECT_EQ(finals(kStoreBuffering, "tso", reduce).size(), 4U);
  }
}

TEST(System, FencesAsOverlayAreFencesInTheText) {
  const Program p = program(kStoreBuffering);
  FenceSet fences;
  for (size_t t = 0; t < 2; ++t)
    for (size_t i = 0; i < p.threads[t].code.size(); ++i)
      if (p.threads[t].code[i].kind == InstrKind::kStore && i == p.threads[t].entry.index())
        fences.add(ThreadId(t), Point(i), FenceKinds::full());
  ASSERT_EQ(fences.size(), 2U);
  const Finals written = finals(R"(
    shared int x, y, a, b;
    thread P { x = 1; fence; a = y; }
    thread Q { y = 1; fence; b = x; })",
                                "tso");
  EXPECT_EQ(finals(kStoreBuffering, "tso", true, fences), written);
  EXPECT_EQ(finals(kStoreBuffering, "pso", false, fences), written);
}

// x = 1 and y = 1 with the fence between; can memory be seen with y = 1 and x = 0?
bool overtakes(const std::string& fence, const char* model) {
  const std::string text = "shared int x, y, a, b; thread P { x = 1; " + fence +
                           " y = 1; } thread Q { int r = y; int s = x; a = r; b = s; }";
  for (const std::vector<Value>& final_state : finals(text, model))
    if (final_state[2] == 1 && final_state[3] == 0) return true;
  return false;
}

// Can the load of y be answered before the store of x is in memory?
bool load_overtakes(const std::string& fence, const char* model) {
  const std::string text = "shared int x, y, a, b; thread P { x = 1; " + fence +
                           " int r = y; a = r; } thread Q { y = 1; " + fence + " int s = x; b = s; }";
  for (const std::vector<Value>& final_state : finals(text, model))
    if (final_state[2] == 0 && final_state[3] == 0) return true;
  return false;
}

TEST(System, WhatEachFenceOrders) {
  EXPECT_FALSE(overtakes("", "tso"));
  EXPECT_TRUE(overtakes("", "pso"));
  EXPECT_FALSE(overtakes("fence;", "pso"));
  EXPECT_FALSE(overtakes("sfence;", "pso"));
  EXPECT_TRUE(overtakes("lfence;", "pso"));
  EXPECT_TRUE(overtakes("fence(store-load);", "pso"));  // a weaker fence must not act as a stronger one
  EXPECT_TRUE(overtakes("fence(load-store, load-load);", "pso"));
  EXPECT_FALSE(overtakes("fence(store-load, store-store);", "pso"));

  for (const char* model : {"tso", "pso"}) {
    EXPECT_TRUE(load_overtakes("", model));
    EXPECT_TRUE(load_overtakes("sfence;", model));
    EXPECT_TRUE(load_overtakes("lfence;", model));
    EXPECT_FALSE(load_overtakes("fence;", model));
    EXPECT_FALSE(load_overtakes("fence(store-load);", model));
  }
}

TEST(System, RmwDrainsAllOnTsoAndItsCellOnPso) {
  EXPECT_FALSE(load_overtakes("int q = xchg(a, 0);", "tso"));
  EXPECT_TRUE(load_overtakes("int q = xchg(a, 0);", "pso"));
  // Behind a store-store fence an rmw waits, as the store that it is.
  EXPECT_FALSE(overtakes("sfence; int q = xchg(y, 1);", "pso"));
  EXPECT_TRUE(overtakes("int q = xchg(y, 1);", "pso"));
}

TEST(System, AtomicSectionsAreOneStep) {
  const Finals found = finals(R"(
    shared int x;
    thread P { atomic { int r = x; x = r + 1; } }
    thread Q { atomic { int r = x; x = r + 1; } })",
                              "pso");
  EXPECT_EQ(found, (Finals{{2}}));
  const Finals waits =
      finals("shared int x, y; thread P { await (x == 1); y = 1; } thread Q { x = 1; }", "tso");
  EXPECT_EQ(waits, (Finals{{1, 1}}));
}

TEST(System, ReductionKeepsFinalStatesAndSavesWork) {
  const Program p = program(R"(
    shared int x, y, own[3];
    thread P[i in 0..2] { own[i] = 1; int r = own[i]; x = r; own[i] = 2; y = x; })");
  const FenceSet none;
  for (const char* model : {"sc", "tso", "pso"}) {
    const System full_system(p, none, memory_model(model), {}, {}, {.reduce = false});
    const System reduced_system(p, none, memory_model(model), {}, {}, {});
    const Explorer full(full_system), reduced(reduced_system);
    EXPECT_EQ(full.finals, reduced.finals) << model;
    EXPECT_LT(reduced.seen.size() * 2, full.seen.size()) << model;
  }
}

TEST(System, ErrorsAndOverflowsHaveNoSuccessor) {
  const Program p = program("shared int 0..2 x; shared int y; thread P { int r = x; x = r + 3; y = 1; }");
  const FenceSet none;
  const System system(p, none, memory_model("tso"), {}, {}, {});
  const Explorer explored(system);
  EXPECT_GT(explored.errors, 0U);
  EXPECT_TRUE(explored.finals.empty());

  const Program q = program("shared int x = 0x7fffffffffffffff; thread P { x = x + 1; }");
  const System big(q, none, memory_model("sc"), {}, {}, {});
  EXPECT_GT(Explorer(big).overflows, 0U);
}

bool can_grow(const std::string& text, const char* model) {
  const Program p = program(text);
  const FenceSet none;
  const System system(p, none, memory_model(model), {}, {}, {});
  return find_growth(system.code()).has_value();
}

TEST(Growth, OnlyLoopsThatStoreAndNeverDrain) {
  EXPECT_TRUE(can_grow("shared int x; thread P { while (true) { x = 1; } }", "tso"));
  EXPECT_FALSE(can_grow("shared int x; thread P { while (true) { x = 1; } }", "sc"));
  EXPECT_FALSE(can_grow("shared int x; thread P { while (true) { x = 1; fence; } }", "pso"));
  EXPECT_TRUE(can_grow("shared int x; thread P { while (true) { x = 1; sfence; } }", "pso"));
  EXPECT_FALSE(
      can_grow("shared int x, l; thread P { while (true) { x = 1; l = xchg(l, 1); fence; } }", "tso"));
  EXPECT_FALSE(can_grow("shared int x, l; thread P { while (true) { x = 1; int r = xchg(l, 1); } }", "tso"));
  EXPECT_TRUE(can_grow("shared int x, l; thread P { while (true) { x = 1; int r = xchg(l, 1); } }", "pso"));
  EXPECT_FALSE(can_grow("shared int x; thread P { x = 1; x = 2; while (x == 0) { } }", "pso"));
}

}  // namespace
}  // namespace fenceline::machine
