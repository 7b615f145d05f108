// SPDX-License-Identifier: GPL-3.0-or-later
//
// The steps and the order of abstract buffers against their meaning: all concrete buffers of a small world
// are tried. A step of any buffer that is meant must be among the steps of what means it; and what subsumes
// must mean everything that the subsumed one means.
#include <gtest/gtest.h>

#include "base/rng.h"
#include "check/statespace/coherence_buffer.h"
#include "unit/check/statespace/concrete_world.h"

namespace fenceline::testing {
namespace {

std::vector<Value> some_more(std::vector<Value> values, Rng& rng) {
  for (Value value = 0; value < kValues; ++value)
    if (rng.chance(25)) values.push_back(value);
  std::sort(values.begin(), values.end());
  values.erase(std::unique(values.begin(), values.end()), values.end());
  return values;
}

// Forgets something: at random, but so that the result still means what `contents` means. Whole heads or
// their ends go into tails; sets grow; bounds fall.
BufferContents abstract(const BufferContents& contents, Buffering buffering, Rng& rng) {
  BufferContents less = contents;
  less.head.clear();
  std::map<uint32_t, std::vector<BufferContents::Entry>> gone;  // by cell
  bool any_gone = false;
  for (const auto& entry : contents.head) {
    auto& of_cell = gone[entry.cell];
    const bool must_go = buffering == Buffering::kPerThread ? any_gone : !of_cell.empty();
    if (must_go || rng.chance(30)) {
      of_cell.push_back(entry);
      any_gone = true;
    } else {
      less.head.push_back(entry);
      if (rng.chance(20)) less.head.back().values = some_more(entry.values, rng);
      if (rng.chance(20)) less.head.back().marked = false;
    }
  }
  for (const auto& [cell, entries] : gone) {
    if (entries.empty()) continue;
    auto tail = std::find_if(less.tail.begin(), less.tail.end(),
                             [&, &cell = cell](const auto& r) { return r.cell >= cell; });
    if (tail == less.tail.end() || tail->cell != cell) {
      const auto& last = entries.back();
      tail = less.tail.insert(tail,
                              {cell, last.values, {}, true, entries.front().epoch, last.epoch, last.marked});
    }
    tail->oldest_epoch = entries.front().epoch;
    for (const auto& entry : entries) {
      tail->all_present = tail->all_present && entry.values.size() == 1;
      tail->values.insert(tail->values.end(), entry.values.begin(), entry.values.end());
    }
    std::sort(tail->values.begin(), tail->values.end());
    tail->values.erase(std::unique(tail->values.begin(), tail->values.end()), tail->values.end());
  }
  for (auto& tail : less.tail) {
    if (rng.chance(20)) tail.all_present = false;
    if (!tail.all_present && rng.chance(50)) tail.values = some_more(tail.values, rng);
    if (rng.chance(20)) tail.newest = tail.values;
    if (rng.chance(20)) tail.newest_marked = false;
    if (tail.oldest_epoch > 0 && rng.chance(30)) tail.oldest_epoch -= 1;
  }
  return less;
}

// Other numbers for the same epochs.
BufferContents renumber(BufferContents contents, Rng& rng) {
  std::map<uint32_t, uint32_t> names;
  for (const auto& entry : contents.head) names[entry.epoch];
  for (const auto& tail : contents.tail) names[tail.oldest_epoch], names[tail.newest_epoch];
  uint32_t next = 0;
  for (auto& [epoch, name] : names) {
    name = next + static_cast<uint32_t>(rng.below(3));
    next = name + 1;
  }
  for (auto& entry : contents.head) entry.epoch = names[entry.epoch];
  for (auto& tail : contents.tail) {
    tail.oldest_epoch = names[tail.oldest_epoch];
    tail.newest_epoch = names[tail.newest_epoch];
  }
  return contents;
}

BufferContents random_contents(const World& world, Rng& rng) {
  ConcreteBuffer buffer = world.buffers[rng.below(world.buffers.size())];
  if (world.buffering == Buffering::kPerCell && rng.chance(30)) {
    const size_t marked = rng.below(buffer.pending.size() + 1);
    for (size_t i = 0; i < marked; ++i) buffer.pending[i].marked = true;
  }
  const BufferContents contents = abstract(exactly(buffer, world.buffering), world.buffering, rng);
  return rng.chance(50) ? contents : renumber(contents, rng);
}

// The buffers that are meant, with as few marks as possible.
std::vector<ConcreteBuffer> all_meant(const BufferContents& contents, const World& world) {
  std::vector<ConcreteBuffer> meant;
  for (ConcreteBuffer buffer : world.buffers)
    for (size_t marked = 0;; ++marked) {
      if (means(contents, buffer, world.buffering)) {
        meant.push_back(buffer);
        break;
      }
      if (world.buffering != Buffering::kPerCell || marked == buffer.pending.size()) break;
      buffer.pending[marked].marked = true;
    }
  return meant;
}

// The first step of `buffer` that `contents` has not; empty if it has all.
std::string missing_step(const BufferContents& contents, const ConcreteBuffer& buffer, const World& world) {
  const Buffering buffering = world.buffering;
  const check::CoherenceBuffer rules(buffering);
  for (uint32_t cell = 0; cell < kCells; ++cell) {
    BufferContents stored = contents;
    rules.store(stored, cell, 1);
    ConcreteBuffer really = buffer;
    really.store(cell, 1);
    if (rules.malformed(stored, kCells) || !means(stored, really, buffering)) return "store";

    const auto* newest = check::CoherenceBuffer::newest(contents, cell);
    if ((newest != nullptr) != buffer.newest(cell).has_value()) return "emptiness";
    if (newest) {
      if (!has(*newest, *buffer.newest(cell))) return "newest";
      BufferContents read = contents;
      check::CoherenceBuffer::keep_newest(read, cell, *buffer.newest(cell));
      if (!means(read, buffer, buffering)) return "keep_newest";
    }
    if (buffer.write_possible(cell, buffering)) {
      BufferContents drained = contents;
      if (!rules.keep_drained_for_write(drained, cell)) return "write";
      if (!means(drained, buffer, buffering)) return "what is kept by a write";
    }
  }
  BufferContents readable = contents;
  if (buffer.load_possible() && (!rules.keep_readable(readable) || !means(readable, buffer, buffering)))
    return "load";
  for (uint8_t bits = 0; bits < 16; ++bits) {
    ConcreteBuffer really = buffer;
    if (!really.fence(FenceKinds(bits), buffering)) continue;
    const auto after = rules.after_fence(contents, FenceKinds(bits));
    if (after.size() != 1 || !means(after[0], really, buffering)) return "fence";
  }
  const auto flushes = rules.flushes(contents);
  for (size_t i = 0; i < buffer.pending.size(); ++i) {
    if (!buffer.may_be_flushed(i, buffering)) continue;
    const ConcreteStore& store = buffer.pending[i];
    const ConcreteBuffer really = buffer.without(i);
    if (std::none_of(flushes.begin(), flushes.end(), [&](const check::CoherenceBuffer::Flush& flush) {
          return flush.cell == store.cell && flush.value == store.value &&
                 !rules.malformed(flush.after, kCells) && means(flush.after, really, buffering);
        }))
      return "flush";
  }
  return "";
}

class CoherenceBufferWorld : public ::testing::TestWithParam<Buffering> {};

TEST_P(CoherenceBufferWorld, NoStepIsMissed) {
  const World world = world_of(GetParam(), 4);
  const check::CoherenceBuffer rules(GetParam());
  Rng rng(1);
  size_t looked_at = 0;
  for (int round = 0; round < 300; ++round) {
    const BufferContents contents = random_contents(world, rng);
    ASSERT_EQ(rules.malformed(contents, kCells), std::nullopt);
    const auto meant = all_meant(contents, world);
    ASSERT_FALSE(meant.empty());
    for (const ConcreteBuffer& buffer : meant) ASSERT_EQ(missing_step(contents, buffer, world), "");
    looked_at += meant.size();
  }
  EXPECT_GT(looked_at, 2000u);
}

TEST_P(CoherenceBufferWorld, WhatSubsumesRepresentsMore) {
  const World world = world_of(GetParam(), 3);
  const check::CoherenceBuffer rules(GetParam());
  Rng rng(2);
  size_t subsumed = 0;
  std::vector<BufferContents> pool;
  for (int i = 0; i < 1200; ++i) pool.push_back(random_contents(world, rng));
  for (const BufferContents& special : pool) {
    std::vector<ConcreteBuffer> meant;
    for (const BufferContents& general : pool) {
      if (!rules.subsumes(general, special)) continue;
      if (meant.empty()) meant = all_meant(special, world);
      ++subsumed;
      for (const ConcreteBuffer& buffer : meant) ASSERT_TRUE(means(general, buffer, GetParam()));
    }
    EXPECT_TRUE(rules.subsumes(special, special));
  }
  EXPECT_GT(subsumed, 3000u);
}

// Not needed for soundness, but for accepting what engines make.
TEST_P(CoherenceBufferWorld, AbstractingIsSubsumed) {
  const World world = world_of(GetParam(), 4);
  const check::CoherenceBuffer rules(GetParam());
  Rng rng(3);
  for (int i = 0; i < 20000; ++i) {
    const BufferContents special = random_contents(world, rng);
    const BufferContents general = renumber(abstract(special, GetParam(), rng), rng);
    ASSERT_TRUE(rules.subsumes(general, special));
  }
}

INSTANTIATE_TEST_SUITE_P(Models, CoherenceBufferWorld,
                         ::testing::Values(Buffering::kPerThread, Buffering::kPerCell),
                         [](const auto& model) {
                           return model.param == Buffering::kPerCell ? "pso" : "tso";
                         });

}  // namespace
}  // namespace fenceline::testing
