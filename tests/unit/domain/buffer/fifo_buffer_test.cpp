// SPDX-License-Identifier: GPL-3.0-or-later
//
// The exact buffer against docs/semantics.md: order of flushes, forwarding, barriers, marks, packing.
#include "domain/buffer/fifo_buffer.h"

#include <gtest/gtest.h>

#include <map>
#include <vector>

#include "base/rng.h"

namespace fenceline::buffer {
namespace {

BufferLayout layout(bool per_cell, uint32_t cells = 3) {
  BufferLayout l;
  l.per_cell = per_cell;
  l.barriers = l.marks = per_cell;
  for (uint32_t c = 0; c < cells; ++c) {
    l.cells.push_back(c);
    l.cell_index.push_back(c);
    l.values.push_back({c, -5, 6});
  }
  l.cell_bits = 2;
  return l;
}

std::vector<std::pair<uint32_t, Value>> flushes(const FifoBuffer& buffer, const BufferLayout& l) {
  std::vector<std::pair<uint32_t, Value>> found;
  buffer.for_each_flush(l, [&](const FlushChoice& c) { found.emplace_back(c.cell, c.value); });
  return found;
}

void flush_cell(FifoBuffer& buffer, const BufferLayout& l, uint32_t cell) {
  std::optional<FlushChoice> chosen;
  buffer.for_each_flush(l, [&](const FlushChoice& c) {
    if (c.cell == cell) chosen = c;
  });
  ASSERT_TRUE(chosen.has_value());
  buffer.flush(*chosen, l);
}

using Pairs = std::vector<std::pair<uint32_t, Value>>;

TEST(FifoBuffer, OneBufferPerThreadFlushesInOrder) {
  const BufferLayout l = layout(false);
  FifoBuffer b;
  b.append(1, 10, 0, l);
  b.append(0, 20, 0, l);
  b.append(1, 30, 0, l);
  EXPECT_EQ(*b.newest(1), 30);
  EXPECT_EQ(b.newest(2), nullptr);
  EXPECT_EQ(flushes(b, l), (Pairs{{1, 10}}));
  flush_cell(b, l, 1);
  EXPECT_EQ(flushes(b, l), (Pairs{{0, 20}}));
}

TEST(FifoBuffer, OneBufferPerCellFlushesTheOldestOfEach) {
  const BufferLayout l = layout(true);
  FifoBuffer b;
  b.append(1, 10, 0, l);
  b.append(0, 20, 0, l);
  b.append(1, 30, 0, l);
  EXPECT_EQ(flushes(b, l), (Pairs{{0, 20}, {1, 10}}));
  EXPECT_EQ(*b.newest(1), 30);
}

TEST(FifoBuffer, BarrierHoldsLaterStoresBack) {
  const BufferLayout l = layout(true);
  FifoBuffer b;
  b.append(1, 10, 0, l);
  b.barrier();
  EXPECT_TRUE(b.stores_blocked());
  b.append(0, 20, 0, l);
  EXPECT_TRUE(b.stores_blocked());
  EXPECT_EQ(flushes(b, l), (Pairs{{1, 10}}));
  flush_cell(b, l, 1);
  EXPECT_EQ(flushes(b, l), (Pairs{{0, 20}}));
  EXPECT_FALSE(b.stores_blocked());
}

TEST(FifoBuffer, BarrierBehindWhichNothingIsPendingIsDropped) {
  const BufferLayout l = layout(true);
  FifoBuffer b;
  b.barrier();
  EXPECT_FALSE(b.stores_blocked());
  b.append(0, 1, 0, l);
  b.barrier();
  flush_cell(b, l, 0);
  EXPECT_FALSE(b.stores_blocked());
}

TEST(FifoBuffer, MarksBlockLoadsUntilTheMarkedAreFlushed) {
  const BufferLayout l = layout(true);
  FifoBuffer b;
  b.append(0, 1, 0, l);
  b.mark();
  b.append(1, 2, 0, l);
  EXPECT_TRUE(b.loads_blocked());
  EXPECT_EQ(flushes(b, l), (Pairs{{0, 1}, {1, 2}}));  // the later store may overtake
  flush_cell(b, l, 1);
  EXPECT_TRUE(b.loads_blocked());
  flush_cell(b, l, 0);
  EXPECT_FALSE(b.loads_blocked());
}

// Stores to different cells within one epoch have no order: two histories with the same meaning pack alike.
TEST(FifoBuffer, EqualMeaningEqualBytes) {
  const BufferLayout l = layout(true);
  FifoBuffer x, y;
  x.append(2, 1, 0, l), x.append(0, 2, 0, l), x.append(2, 3, 0, l);
  y.append(0, 2, 0, l), y.append(2, 1, 0, l), y.append(2, 3, 0, l);
  BitWriter wx, wy;
  x.pack(wx, l), y.pack(wy, l);
  const auto px = wx.finish(), py = wy.finish();
  EXPECT_TRUE(std::equal(px.begin(), px.end(), py.begin(), py.end()));
}

TEST(FifoBuffer, PackingRoundTrips) {
  Rng rng(11);
  for (const bool per_cell : {false, true}) {
    const BufferLayout l = layout(per_cell);
    for (int round = 0; round < 3000; ++round) {
      FifoBuffer b;
      for (uint64_t n = rng.below(20); n > 0; --n) {
        const uint64_t what = rng.below(per_cell ? 10 : 6);
        if (what < 6) b.append(static_cast<uint32_t>(rng.below(3)), rng.between(-5, 20), 0, l);
        if (what == 6) b.barrier();
        if (what == 7) b.mark();
        if (what > 7) {
          std::vector<FlushChoice> choices;
          b.for_each_flush(l, [&](const FlushChoice& c) { choices.push_back(c); });
          if (!choices.empty()) b.flush(choices[rng.below(choices.size())], l);
        }
      }
      BitWriter writer;
      b.pack(writer, l);
      writer.put(0x2a, 6);
      BitReader reader(writer.finish().data());
      FifoBuffer again;
      again.unpack(reader, l);
      ASSERT_EQ(reader.get(6), 0x2aU);
      ASSERT_EQ(again.entries().size(), b.entries().size());
      for (size_t i = 0; i < b.entries().size(); ++i) {
        ASSERT_EQ(again.entries()[i].cell, b.entries()[i].cell);
        ASSERT_EQ(again.entries()[i].epoch, b.entries()[i].epoch);
        ASSERT_EQ(again.entries()[i].marked, b.entries()[i].marked);
        ASSERT_EQ(again.entries()[i].value, b.entries()[i].value);
      }
      ASSERT_EQ(again.stores_blocked(), b.stores_blocked());
    }
  }
}

}  // namespace
}  // namespace fenceline::buffer
