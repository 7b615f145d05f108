// SPDX-License-Identifier: GPL-3.0-or-later
//
// What follows from what a thread does, by small threads whose events are counted by hand. The events of the
// only thread are numbered from 0; initial writes are left out.
#include "check/axiomatic/base_relations.h"

#include <gtest/gtest.h>

#include <set>

#include "env/errors.h"
#include "frontend/fl/fl.h"
#include "ir/builder.h"

namespace fenceline::testing {
namespace {

using Pairs = std::set<std::pair<size_t, size_t>>;

class OneThread {
 public:
  OneThread(const std::string& body, const std::vector<Value>& inputs)
      : program_(frontend::parse_fl(
            {"test.fl", "shared int x, y, a[3]; thread P { " + body + " } property p: finally (1);"})),
        overlay_(program_, fences_),
        run_(overlay_, ThreadId(0)) {
    size_t next = 0;
    for (;;) {
      const InstrKind kind = run_.next().kind;
      const bool has_input =
          run_.next().reads_memory() || kind == InstrKind::kHavoc || kind == InstrKind::kChoose;
      Effect effect;
      const auto outcome =
          run_.step(has_input ? std::optional<Value>(inputs.at(next++)) : std::nullopt, effect);
      if (outcome != check::ThreadExecution::Outcome::kMoved) break;
    }
    EXPECT_TRUE(run_.ended());
    EXPECT_EQ(next, inputs.size());
    structure_.begin(program_.cell_count);
    structure_.add_thread(run_.events());
  }

  Pairs relation(const char* name) const {
    check::Relation r(structure_.size());
    structure_.fill(name, r);
    Pairs found;
    for (size_t i = first(); i < r.events(); ++i)
      for (size_t j = first(); j < r.events(); ++j)
        if (r.has(i, j)) found.insert({i - first(), j - first()});
    return found;
  }
  std::set<size_t> set(const char* name) const {
    check::EventSet s(structure_.size());
    structure_.fill(name, s);
    std::set<size_t> found;
    for (size_t i = first(); i < s.events(); ++i)
      if (s.has(i)) found.insert(i - first());
    return found;
  }
  size_t first() const { return program_.cell_count; }
  const check::EventStructure& structure() const { return structure_; }

 private:
  Program program_;
  FenceSet fences_;
  Overlay overlay_;
  check::ThreadExecution run_;
  check::EventStructure structure_{false};
};

TEST(BaseRelations, OperationsAreCallsWhereThereAreAny) {
  ProgramBuilder b({"t", ""});
  const ObjectId x = b.object("x", {0}, std::nullopt, {});
  ThreadBuilder& t = b.thread("P", {});
  for (const uint32_t call : {1, 1, 0, 0, 2, 1}) {
    t.operation(call);
    t.store({x, b.constant(0)}, b.constant(1), {});
  }
  const Program program = b.finish();
  const FenceSet fences;
  const Overlay overlay(program, fences);
  check::ThreadExecution run(overlay, ThreadId(0));
  Effect effect;
  while (run.step(std::nullopt, effect) == check::ThreadExecution::Outcome::kMoved) {
  }
  for (const bool calls : {false, true}) {
    check::EventStructure structure(calls);
    structure.begin(0);
    structure.add_thread(run.events());
    check::Relation operation(structure.size());
    structure.fill("operation", operation);
    for (size_t i = 0; i < 6; ++i)
      for (size_t j = 0; j < 6; ++j) {
        const bool one = (i < 2 || i == 5) && (j < 2 || j == 5);
        EXPECT_EQ(operation.has(i, j), i != j && (one || !calls)) << i << " " << j;
      }
  }
  EXPECT_TRUE(has_operations(program));
}

TEST(BaseRelations, DataIsSyntactic) {
  const OneThread t("int r, s; r = x; s = r + 1; y = s ^ s; s = 3; y = s; y = true ? r : 0;", {0});
  EXPECT_EQ(t.relation("data"), (Pairs{{0, 1}, {0, 3}}));
  EXPECT_EQ(t.relation("addr"), Pairs{});
  EXPECT_EQ(t.relation("ctrl"), Pairs{});
}

TEST(BaseRelations, ADependencyDoesNotGoThroughMemory) {
  const OneThread t("int r, s; r = x; y = r; s = y; x = s;", {1, 1});
  EXPECT_EQ(t.relation("data"), (Pairs{{0, 1}, {2, 3}}));
}

TEST(BaseRelations, Addresses) {
  const OneThread t("int r, s; r = x; s = a[r]; a[r - r] = s; y = s; s = fetch_add(a[s], r);", {1, 2, 5});
  // 0 r = x, 1 s = a[r], 2 a[] = s, 3 y = s, 4 5 fetch_add
  EXPECT_EQ(t.relation("addr"), (Pairs{{0, 1}, {0, 2}, {1, 4}, {1, 5}}));
  EXPECT_EQ(t.relation("data"), (Pairs{{1, 2}, {1, 3}, {0, 5}}));
}

TEST(BaseRelations, ControlGoesOnBehindTheJoin) {
  const OneThread t("int r, s; r = x; y = 1; if (r == 1) { y = 2; } fence; s = y; assume(s == 2); y = 3;",
                    {1, 2});
  // 0 r = x, 1 y = 1, 2 y = 2, 3 fence, 4 s = y, 5 y = 3
  EXPECT_EQ(t.relation("ctrl"), (Pairs{{0, 2}, {0, 3}, {0, 4}, {0, 5}, {4, 5}}));
  const OneThread none(
      "int r, s; s = x; assert(s == 0); havoc r in 0..1; choose { y = r; } or { y = 2; } y = r;", {0, 1, 0});
  EXPECT_EQ(none.relation("ctrl"), Pairs{});
  EXPECT_EQ(none.relation("data"), Pairs{});
}

TEST(BaseRelations, LocalArraysAreTakenAsOne) {
  const OneThread t("int b[2], r, s; r = x; s = y; b[r] = s; y = b[1 - r]; b[0] = 0; y = b[r];", {0, 1});
  EXPECT_EQ(t.relation("data"), (Pairs{{0, 2}, {1, 2}, {0, 3}, {1, 3}}));
}

TEST(BaseRelations, WhetherACasSucceedsDependsOnWhatItExpects) {
  const OneThread t("int r, s; r = x; s = cas(y, r, 1); x = s; s = xchg(y, r); x = s;", {3, 2, 2});
  // 0 r = x, 1 the cas, 2 x = s, 3 4 xchg, 5 x = s
  EXPECT_EQ(t.relation("data"), (Pairs{{0, 2}, {1, 2}, {0, 4}, {3, 5}}));
}

TEST(BaseRelations, ReadModifyWrites) {
  const OneThread t("int r, s; r = cas(x, 0, 1); s = cas(x, 0, 1); y = r; if (s) { } x = 7;", {0, 1});
  // 0 1 the first cas, 2 the second, 3 y = r, 4 x = 7
  EXPECT_EQ(t.relation("rmw"), (Pairs{{0, 1}}));
  EXPECT_EQ(t.relation("atomic"), (Pairs{{0, 1}, {1, 0}}));
  EXPECT_EQ(t.set("RMW"), (std::set<size_t>{0, 1, 2}));
  EXPECT_EQ(t.set("ATOMIC"), (std::set<size_t>{0, 1, 2}));
  EXPECT_EQ(t.set("SECTION"), std::set<size_t>{});
  EXPECT_EQ(t.relation("data"), (Pairs{{0, 3}}));
  EXPECT_EQ(t.relation("ctrl"), (Pairs{{2, 4}}));
  const Pairs po = t.relation("po");
  EXPECT_FALSE(po.count({0, 1}));
  EXPECT_TRUE(po.count({0, 2}) && po.count({1, 2}));
  EXPECT_EQ(po.size(), 9u);
}

TEST(BaseRelations, SectionsEachForItself) {
  const OneThread t("int i, r; while (i < 2) { atomic { r = x; x = r + 1; } i = i + 1; } y = 1;", {0, 1});
  EXPECT_EQ(t.relation("atomic"), (Pairs{{0, 1}, {1, 0}, {2, 3}, {3, 2}}));
  EXPECT_EQ(t.set("ATOMIC"), (std::set<size_t>{0, 1, 2, 3}));
  EXPECT_EQ(t.set("SECTION"), (std::set<size_t>{0, 1, 2, 3}));
  EXPECT_EQ(t.set("RMW"), std::set<size_t>{});
  EXPECT_EQ(t.relation("rmw"), Pairs{});
  EXPECT_EQ(t.relation("operation").size(), 20u);
  EXPECT_EQ(t.relation("int").size(), 25u);
  EXPECT_EQ(t.relation("ext"), Pairs{});
}

TEST(BaseRelations, KindsAndLocations) {
  const OneThread t("int r; x = 1; fence; sfence; lfence; fence(store-load, load-store); r = x; r = y;",
                    {1, 0});
  EXPECT_EQ(t.set("W"), (std::set<size_t>{0}));
  EXPECT_EQ(t.set("R"), (std::set<size_t>{5, 6}));
  EXPECT_EQ(t.set("M"), (std::set<size_t>{0, 5, 6}));
  EXPECT_EQ(t.set("F"), (std::set<size_t>{1, 2, 3, 4}));
  EXPECT_EQ(t.set("SL"), (std::set<size_t>{1, 4}));
  EXPECT_EQ(t.set("SS"), (std::set<size_t>{1, 2}));
  EXPECT_EQ(t.set("LL"), (std::set<size_t>{1, 3}));
  EXPECT_EQ(t.set("LS"), (std::set<size_t>{1, 4}));
  EXPECT_EQ(t.set("IW"), std::set<size_t>{});
  EXPECT_EQ(t.set("ACQ"), std::set<size_t>{});
  EXPECT_EQ(t.relation("loc"), (Pairs{{0, 0}, {0, 5}, {5, 0}, {5, 5}, {6, 6}}));
  EXPECT_EQ(t.relation("observed"), Pairs{});
  check::Relation ext(t.structure().size()), loc(t.structure().size());
  t.structure().fill("ext", ext);
  t.structure().fill("loc", loc);
  EXPECT_TRUE(ext.has(0, 1) && ext.has(0, 0) && ext.has(0, t.first()) && ext.has(t.first(), 0));
  EXPECT_TRUE(loc.has(0, t.first()));
}

TEST(BaseRelations, TagsAreSets) {
  Program program = frontend::parse_fl(
      {"test.fl", "shared int x; thread P { int r; r = xchg(x, 1); fence; } property p: finally (1);"});
  program.threads[0].code[0].tags = {"ACQ", "X"};
  program.threads[0].code[0].write_tags = {"REL", "X"};
  program.threads[0].code[1].tags = {"MFENCE"};
  const FenceSet none;
  const Overlay overlay(program, none);
  check::ThreadExecution run(overlay, ThreadId(0));
  Effect effect;
  run.step(0, effect);
  run.step(std::nullopt, effect);
  check::EventStructure structure(false);
  structure.begin(1);
  structure.add_thread(run.events());
  const auto tagged = [&](const char* name) {
    check::EventSet s(structure.size());
    structure.fill(name, s);
    return s.data()[0];
  };
  EXPECT_EQ(tagged("ACQ"), 2u);
  EXPECT_EQ(tagged("REL"), 4u);
  EXPECT_EQ(tagged("X"), 6u);
  EXPECT_EQ(tagged("MFENCE"), 8u);
  EXPECT_EQ(tagged("IW"), 1u);
}

TEST(BaseRelations, WhatReadsAndOrdersGive) {
  // Events: 0 initial, 1 and 2 writes, 3 reads from 1.
  const std::vector<EventId> reads_from = {EventId(), EventId(), EventId(), EventId(1)};
  const std::vector<std::vector<EventId>> coherence = {{EventId(0), EventId(1), EventId(2)}};
  const check::DynamicRelations relations(4, reads_from, coherence);
  EXPECT_TRUE(relations.rf.has(1, 3));
  EXPECT_TRUE(relations.co.has(0, 2) && relations.co.has(1, 2) && !relations.co.has(2, 1));
  EXPECT_TRUE(relations.fr.has(3, 2) && !relations.fr.has(3, 1) && !relations.fr.has(3, 0));
  EXPECT_EQ(relations.last_writes.data()[0], 4u);
}

}  // namespace
}  // namespace fenceline::testing
