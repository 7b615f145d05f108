// SPDX-License-Identifier: GPL-3.0-or-later
//
// Abstract buffers, rule by rule: Semantics 3 and 4 of Kuperstein, Vechev, Yahav, for one queue per cell and
// for one per thread. The names in capitals are the paper's. What the rules are for, that every exact buffer
// stays subsumed, is tested at random in partial_buffer_random_test.cpp.
#include "domain/buffer/partial_buffer.h"

#include <gtest/gtest.h>

#include <set>
#include <tuple>

#include "unit/domain/buffer/buffer_testing.h"

namespace fenceline::buffer {
namespace {

using testing::layout_for;
using Buffer = PartialBuffer<ExactValues>;
using Kind = FlushChoice::Kind;
using Flushes = std::set<std::tuple<uint32_t, Value, Kind>>;

constexpr uint32_t kX = 0, kY = 1;
constexpr bool kPso = true, kTso = false;

Flushes flushes(const Buffer& buffer, const BufferLayout& layout) {
  Flushes found;
  buffer.for_each_flush(layout, [&](const FlushChoice& c) { found.insert({c.cell, c.value, c.kind}); });
  return found;
}

Buffer after(Buffer buffer, const BufferLayout& layout, uint32_t cell, Value value, Kind kind) {
  std::optional<FlushChoice> chosen;
  buffer.for_each_flush(layout, [&](const FlushChoice& c) {
    if (c.cell == cell && c.value == value && c.kind == kind) chosen = c;
  });
  EXPECT_TRUE(chosen.has_value());
  if (chosen) buffer.flush(*chosen, layout);
  return buffer;
}

Buffer stored(const BufferLayout& layout, const std::vector<std::pair<uint32_t, Value>>& stores) {
  Buffer buffer;
  for (const auto& [cell, value] : stores) buffer.append(cell, value, 0, layout);
  return buffer;
}

std::vector<Value> head_of(const Buffer& buffer, uint32_t cell) {
  std::vector<Value> values;
  for (const Buffer::Entry& entry : buffer.head())
    if (entry.cell == cell) values.push_back(entry.value);
  return values;
}

std::set<Value> tail_of(const Buffer& buffer, const BufferLayout& layout, uint32_t cell) {
  std::set<Value> values;
  for (const Buffer::Tail& tail : buffer.tails())
    if (tail.cell == cell)
      tail.values.for_each(layout.values[cell], [&](uint32_t, Value v) { values.insert(v); });
  return values;
}

std::set<Value> readings(const Buffer& buffer, const BufferLayout& layout, uint32_t cell) {
  std::set<Value> values;
  for (uint64_t n = 0; n < buffer.readings(cell, 0, layout); ++n)
    if (const auto value = buffer.newest(cell, n, layout)) values.insert(*value);
  return values;
}

using Head = std::vector<Value>;
using Values = std::set<Value>;

// ---- Semantics 3

TEST(PartialBuffer, LoadGReadsMemoryIfNoStoreToTheCellIsPending) {
  for (const bool model : {kPso, kTso})
    for (const char* name : {"set", "fd0", "fd1", "pd1"}) {
      const BufferLayout layout = layout_for(model, name);
      const Buffer buffer = stored(layout, {{kY, 1}});
      EXPECT_FALSE(buffer.holds(kX));
      EXPECT_EQ(buffer.readings(kX, 0, layout), 1U);
      EXPECT_EQ(buffer.newest(kX, 0, layout), std::nullopt);
    }
}

TEST(PartialBuffer, LoadBReadsTheNewestOfHeadAndTail) {
  for (const bool model : {kPso, kTso})
    for (const char* name : {"fd0", "fd1", "fd2", "fd3", "pd0", "pd2"}) {
      const BufferLayout layout = layout_for(model, name);
      EXPECT_EQ(readings(stored(layout, {{kX, 1}}), layout, kX), Values{1});
      EXPECT_EQ(readings(stored(layout, {{kX, 1}, {kX, 2}}), layout, kX), Values{2});
      EXPECT_EQ(readings(stored(layout, {{kX, 2}, {kY, 3}, {kX, 1}, {kX, 2}}), layout, kX), Values{2});
    }
}

// The paper prints beta("ab") = <a, {a,b}, empty>; the newest value is b.
TEST(PartialBuffer, TheNewestOfAThenBIsB) {
  const BufferLayout layout = layout_for(kPso, "fd0");
  const Buffer buffer = stored(layout, {{kX, 1}, {kX, 2}});
  EXPECT_EQ(readings(buffer, layout, kX), Values{2});
  EXPECT_EQ(tail_of(buffer, layout, kX), (Values{1, 2}));
}

TEST(PartialBuffer, StoreHWhileThereIsRoom) {
  const BufferLayout pso = layout_for(kPso, "fd2");
  const Buffer each = stored(pso, {{kX, 1}, {kY, 5}, {kX, 2}, {kY, 6}});
  EXPECT_EQ(head_of(each, kX), (Head{1, 2}));  // two for every cell
  EXPECT_EQ(head_of(each, kY), (Head{5, 6}));
  EXPECT_TRUE(each.tails().empty());
  const BufferLayout tso = layout_for(kTso, "fd2");
  const Buffer all = stored(tso, {{kX, 1}, {kY, 5}, {kX, 2}});
  EXPECT_EQ(head_of(all, kX), (Head{1}));  // two for the thread
  EXPECT_EQ(head_of(all, kY), (Head{5}));
  EXPECT_EQ(tail_of(all, tso, kX), Values{2});
}

TEST(PartialBuffer, StoreSWhenTheHeadIsFull) {
  for (const char* name : {"fd1", "pd1"}) {
    const BufferLayout layout = layout_for(kPso, name);
    const Buffer buffer = stored(layout, {{kX, 1}, {kX, 2}, {kX, 3}, {kX, 2}});
    EXPECT_EQ(head_of(buffer, kX), (Head{1}));
    EXPECT_EQ(tail_of(buffer, layout, kX), (Values{2, 3}));
    EXPECT_FALSE(buffer.holds(kY));
  }
}

// How many stores are in the tail is not known, so what comes later cannot be in order.
TEST(PartialBuffer, StoreSAsLongAsThereIsATail) {
  const BufferLayout pso = layout_for(kPso, "fd1");
  Buffer buffer = after(stored(pso, {{kX, 1}, {kX, 2}}), pso, kX, 1, Kind::kEntry);
  buffer.append(kX, 3, 0, pso);
  EXPECT_EQ(head_of(buffer, kX), Head{});
  EXPECT_EQ(tail_of(buffer, pso, kX), (Values{2, 3}));
  const BufferLayout tso = layout_for(kTso, "fd1");
  buffer = after(stored(tso, {{kX, 1}, {kX, 2}}), tso, kX, 1, Kind::kEntry);
  buffer.append(kY, 3, 0, tso);  // the thread has one queue: it is behind the tail of x
  EXPECT_TRUE(buffer.head().empty());
  EXPECT_EQ(tail_of(buffer, tso, kY), Values{3});
}

TEST(PartialBuffer, FlushHTakesTheOldestAndNothingOvertakesTheHead) {
  for (const char* name : {"fd2", "pd2"}) {
    const BufferLayout pso = layout_for(kPso, name);
    const Buffer each = stored(pso, {{kX, 1}, {kX, 2}, {kX, 3}, {kY, 4}});
    EXPECT_EQ(flushes(each, pso), (Flushes{{kX, 1, Kind::kEntry}, {kY, 4, Kind::kEntry}}));
    const Buffer left = after(each, pso, kX, 1, Kind::kEntry);
    EXPECT_EQ(head_of(left, kX), (Head{2}));
    EXPECT_EQ(tail_of(left, pso, kX), Values{3});
    const BufferLayout tso = layout_for(kTso, name);
    const Buffer all = stored(tso, {{kX, 1}, {kY, 4}, {kY, 5}});
    EXPECT_EQ(flushes(all, tso), (Flushes{{kX, 1, Kind::kEntry}}));
    EXPECT_EQ(flushes(after(all, tso, kX, 1, Kind::kEntry), tso), (Flushes{{kY, 4, Kind::kEntry}}));
  }
}

TEST(PartialBuffer, FlushSnKeepsTheTail) {
  for (const bool model : {kPso, kTso}) {
    const BufferLayout layout = layout_for(model, "fd0");
    const Buffer buffer = stored(layout, {{kX, 1}, {kX, 2}});
    for (const Value value : {1, 2}) {
      const Buffer left = after(buffer, layout, kX, value, Kind::kStays);
      EXPECT_EQ(tail_of(left, layout, kX), (Values{1, 2}));
      EXPECT_EQ(readings(left, layout, kX), Values{2});
    }
  }
}

TEST(PartialBuffer, FlushSdTakesAllButTheNewestUntilItIsAlone) {
  for (const bool model : {kPso, kTso}) {
    const BufferLayout layout = layout_for(model, "fd0");
    const Buffer buffer = stored(layout, {{kX, 1}, {kX, 2}});
    EXPECT_EQ(flushes(buffer, layout),
              (Flushes{{kX, 1, Kind::kStays}, {kX, 1, Kind::kLoses}, {kX, 2, Kind::kStays}}));
    const Buffer alone = after(buffer, layout, kX, 1, Kind::kLoses);
    EXPECT_EQ(tail_of(alone, layout, kX), Values{2});
    EXPECT_EQ(flushes(alone, layout), (Flushes{{kX, 2, Kind::kStays}, {kX, 2, Kind::kEnds}}));
    EXPECT_TRUE(after(alone, layout, kX, 2, Kind::kEnds).empty());
  }
}

// FENCE needs all cells without stores, CAS only its own.
TEST(PartialBuffer, FenceAndCasTestForEmptyBuffers) {
  for (const bool model : {kPso, kTso})
    for (const char* name : {"set", "fd0", "fd1", "pd0"}) {
      const BufferLayout layout = layout_for(model, name);
      Buffer buffer;
      EXPECT_TRUE(buffer.empty());
      buffer.append(kX, 1, 0, layout);
      EXPECT_FALSE(buffer.empty());
      EXPECT_TRUE(buffer.holds(kX));
      EXPECT_FALSE(buffer.holds(kY));
      const bool in_order = name[2] == '1';
      buffer = after(buffer, layout, kX, 1, in_order ? Kind::kEntry : Kind::kEnds);
      EXPECT_TRUE(buffer.empty());
    }
}

// The newest value goes with the last store; in print it stays.
TEST(PartialBuffer, TheNewestValueIsDroppedWithTheLastStore) {
  const BufferLayout layout = layout_for(kPso, "fd0");
  const Buffer once = stored(layout, {{kX, 1}}), fresh;
  EXPECT_EQ(testing::packed(after(once, layout, kX, 1, Kind::kEnds), layout), testing::packed(fresh, layout));
}

// ---- Semantics 4

TEST(PartialBuffer, FlushNeTakesAnyValueAndFlushETheNewest) {
  for (const bool model : {kPso, kTso}) {
    const BufferLayout layout = layout_for(model, "pd0");
    const Buffer buffer = stored(layout, {{kX, 1}, {kX, 2}});
    EXPECT_EQ(flushes(buffer, layout),
              (Flushes{{kX, 1, Kind::kStays}, {kX, 2, Kind::kStays}, {kX, 2, Kind::kEnds}}));
    EXPECT_EQ(tail_of(after(buffer, layout, kX, 1, Kind::kStays), layout, kX), (Values{1, 2}));
    EXPECT_TRUE(after(buffer, layout, kX, 2, Kind::kEnds).empty());
  }
}

TEST(PartialBuffer, AfterTheHeadTheTailFollowsSemantics4) {
  const BufferLayout layout = layout_for(kPso, "pd1");
  const Buffer buffer = stored(layout, {{kX, 1}, {kX, 2}});
  EXPECT_EQ(flushes(buffer, layout), (Flushes{{kX, 1, Kind::kEntry}}));
  EXPECT_EQ(flushes(after(buffer, layout, kX, 1, Kind::kEntry), layout),
            (Flushes{{kX, 2, Kind::kStays}, {kX, 2, Kind::kEnds}}));
}

// On TSO the tails of several cells have no order among each other either.
TEST(PartialBuffer, TailsOfOneThreadAreFlushedInAnyOrder) {
  const BufferLayout layout = layout_for(kTso, "fd1");
  const Buffer buffer = after(stored(layout, {{kX, 1}, {kX, 2}, {kY, 3}}), layout, kX, 1, Kind::kEntry);
  EXPECT_EQ(
      flushes(buffer, layout),
      (Flushes{{kX, 2, Kind::kStays}, {kX, 2, Kind::kEnds}, {kY, 3, Kind::kStays}, {kY, 3, Kind::kEnds}}));
}

// ---- The set abstraction

TEST(PartialBuffer, ASetDoesNotKeepWhichIsNewest) {
  for (const bool model : {kPso, kTso}) {
    const BufferLayout layout = layout_for(model, "set");
    const Buffer buffer = stored(layout, {{kX, 1}, {kX, 2}});
    EXPECT_EQ(readings(buffer, layout, kX), (Values{1, 2}));
    EXPECT_EQ(
        flushes(buffer, layout),
        (Flushes{
            {kX, 1, Kind::kStays}, {kX, 1, Kind::kLoses}, {kX, 2, Kind::kStays}, {kX, 2, Kind::kLoses}}));
    EXPECT_EQ(flushes(after(buffer, layout, kX, 2, Kind::kLoses), layout),
              (Flushes{{kX, 1, Kind::kStays}, {kX, 1, Kind::kEnds}}));
  }
}

// ---- Barriers and marks, on PSO

TEST(PartialBuffer, ABarrierHoldsHeadsBack) {
  const BufferLayout layout = layout_for(kPso, "fd1", true);
  Buffer buffer = stored(layout, {{kX, 1}});
  buffer.barrier();
  EXPECT_TRUE(buffer.stores_blocked());
  buffer.append(kY, 2, 0, layout);
  EXPECT_EQ(flushes(buffer, layout), (Flushes{{kX, 1, Kind::kEntry}}));
  EXPECT_TRUE(buffer.stores_blocked());
  buffer = after(buffer, layout, kX, 1, Kind::kEntry);
  EXPECT_FALSE(buffer.stores_blocked());
  EXPECT_EQ(flushes(buffer, layout), (Flushes{{kY, 2, Kind::kEntry}}));
}

TEST(PartialBuffer, ABarrierHoldsTailsBackAndTheirEnds) {
  const BufferLayout layout = layout_for(kPso, "fd0", true);
  Buffer buffer = stored(layout, {{kX, 1}});
  buffer.barrier();
  buffer.append(kY, 2, 0, layout);
  EXPECT_EQ(flushes(buffer, layout), (Flushes{{kX, 1, Kind::kStays}, {kX, 1, Kind::kEnds}}));
  buffer.append(kX, 1, 0, layout);  // x has pending stores before the barrier and behind it
  EXPECT_EQ(
      flushes(buffer, layout),
      (Flushes{{kX, 1, Kind::kStays}, {kX, 1, Kind::kEnds}, {kY, 2, Kind::kStays}, {kY, 2, Kind::kEnds}}));
}

// Some store of x is before the barrier, the newest behind it: that one cannot be the only one left while y
// is pending.
TEST(PartialBuffer, ABarrierHoldsBackTheEndOfATail) {
  for (const char* name : {"fd0", "pd0"}) {
    const BufferLayout layout = layout_for(kPso, name, true);
    Buffer buffer = stored(layout, {{kY, 2}, {kX, 1}});
    buffer.barrier();
    buffer.append(kX, 1, 0, layout);
    EXPECT_EQ(flushes(buffer, layout),
              (Flushes{{kX, 1, Kind::kStays}, {kY, 2, Kind::kStays}, {kY, 2, Kind::kEnds}}));
    EXPECT_EQ(flushes(after(buffer, layout, kY, 2, Kind::kEnds), layout),
              (Flushes{{kX, 1, Kind::kStays}, {kX, 1, Kind::kEnds}}));
  }
}

TEST(PartialBuffer, ABarrierBehindWhichNothingIsPendingIsDropped) {
  const BufferLayout layout = layout_for(kPso, "fd1", true);
  Buffer buffer;
  buffer.barrier();
  EXPECT_FALSE(buffer.stores_blocked());
  buffer.append(kX, 1, 0, layout);
  buffer.barrier();
  EXPECT_FALSE(after(buffer, layout, kX, 1, Kind::kEntry).stores_blocked());
}

TEST(PartialBuffer, MarksHoldLoadsBackAsLongAsTheyAreCertain) {
  const BufferLayout layout = layout_for(kPso, "fd0", true);
  Buffer buffer = stored(layout, {{kX, 1}});
  buffer.mark();
  EXPECT_TRUE(buffer.loads_blocked());
  Buffer other = buffer;
  other.append(kY, 2, 0, layout);
  EXPECT_TRUE(other.loads_blocked());
  other.append(kX, 2, 0, layout);  // whether the marked one is still there is not known
  EXPECT_FALSE(other.loads_blocked());
  EXPECT_FALSE(after(buffer, layout, kX, 1, Kind::kEnds).loads_blocked());
}

// ---- The order

TEST(PartialBuffer, LosingTheOrderSubsumes) {
  for (const bool model : {kPso, kTso}) {
    const BufferLayout layout = layout_for(model, "fd2");
    const Buffer in_order = stored(layout, {{kX, 1}, {kX, 2}});
    Buffer abstracted = stored(layout, {{kX, 1}, {kX, 2}, {kX, 1}, {kX, 2}});
    for (const Value value : {1, 2}) abstracted = after(abstracted, layout, kX, value, Kind::kEntry);
    EXPECT_EQ(tail_of(abstracted, layout, kX), (Values{1, 2}));
    EXPECT_TRUE(abstracted.subsumes(in_order, layout));
    EXPECT_FALSE(in_order.subsumes(abstracted, layout));
  }
}

// Per cell: losing the order of one cell does not affect another.
TEST(PartialBuffer, LosingTheOrderOfOneCellSubsumes) {
  const BufferLayout layout = layout_for(kPso, "fd2");
  const Buffer in_order = stored(layout, {{kX, 1}, {kX, 2}, {kY, 3}});
  Buffer abstracted = stored(layout, {{kX, 1}, {kX, 2}, {kX, 1}, {kX, 2}, {kY, 3}});
  for (const Value value : {1, 2}) abstracted = after(abstracted, layout, kX, value, Kind::kEntry);
  EXPECT_TRUE(abstracted.subsumes(in_order, layout));
  EXPECT_FALSE(abstracted.subsumes(stored(layout, {{kX, 1}, {kX, 2}, {kY, 4}}), layout));
}

TEST(PartialBuffer, LargerTailsSubsumeWhereTheyAreUpperBounds) {
  const BufferLayout full = layout_for(kPso, "fd0"), partial = layout_for(kPso, "pd0");
  const std::vector<std::pair<uint32_t, Value>> few = {{kX, 1}}, more = {{kX, 2}, {kX, 1}};
  EXPECT_TRUE(stored(partial, more).subsumes(stored(partial, few), partial));
  EXPECT_FALSE(stored(partial, few).subsumes(stored(partial, more), partial));
  EXPECT_FALSE(stored(full, more).subsumes(stored(full, few), full));
}

}  // namespace
}  // namespace fenceline::buffer
