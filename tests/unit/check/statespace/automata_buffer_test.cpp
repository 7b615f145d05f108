// SPDX-License-Identifier: GPL-3.0-or-later
//
// The steps of queues of words against the buffers they represent: all concrete buffers of a small world are
// tried. A step of any buffer that is meant must be among the steps of what means it.
#include "check/statespace/automata_buffer.h"

#include <gtest/gtest.h>

#include "base/rng.h"
#include "unit/check/statespace/concrete_world.h"
#include "unit/check/statespace/symbolic_exploration.h"

namespace fenceline::testing {
namespace {

using Contents = check::AutomataBuffer::Contents;

struct Rules {
  explicit Rules(Buffering which) : buffering(which), buffers(languages, which, kCells) {}

  bool means(const Contents& contents, const ConcreteBuffer& buffer) const {
    const std::vector<Word> words = words_of(buffer, buffering, kCells);
    for (size_t q = 0; q < words.size(); ++q)
      if (!accepts(languages.automaton(contents[q]), words[q])) return false;
    return true;
  }
  bool any_means(const std::vector<Contents>& results, const ConcreteBuffer& buffer) const {
    return std::any_of(results.begin(), results.end(), [&](const Contents& c) { return means(c, buffer); });
  }
  // A few buffers, and what cannot be kept out if their words are put together queue by queue.
  Contents some_of(const World& world, Rng& rng) {
    std::vector<std::vector<Word>> words(buffers.nothing_pending().size());
    for (uint64_t n = 1 + rng.below(4); n > 0; --n) {
      ConcreteBuffer buffer = world.buffers[rng.below(world.buffers.size())];
      const size_t marked = buffering == Buffering::kPerCell && rng.chance(30) ? buffer.pending.size() : 0;
      for (size_t i = 0; i < marked; ++i) buffer.pending[i].marked = true;
      const std::vector<Word> of_buffer = words_of(buffer, buffering, kCells);
      for (size_t q = 0; q < words.size(); ++q) words[q].push_back(of_buffer[q]);
    }
    Contents contents;
    for (const auto& queue : words) contents.push_back(languages.accepted_by(only(queue)));
    return contents;
  }
  bool can_all_begin_with_barrier(const Contents& contents) {
    return std::all_of(contents.begin(), contents.end(), [&](uint32_t queue) {
      return languages.after(queue, Letter::barrier()) != check::QueueLanguages::kNothing;
    });
  }

  Limits limits;
  check::QueueLanguages languages{limits};
  Buffering buffering;
  check::AutomataBuffer buffers;
};

// The first step of `buffer` that `contents` has not; empty if it has all.
std::string missing_step(Rules& rules, const Contents& contents, const ConcreteBuffer& buffer) {
  check::AutomataBuffer& buffers = rules.buffers;
  const Buffering buffering = rules.buffering;
  for (uint32_t cell = 0; cell < kCells; ++cell) {
    Contents stored = contents;
    buffers.store(stored, cell, 1);
    ConcreteBuffer really = buffer;
    really.store(cell, 1);
    if (buffers.malformed(stored, kCells) || !rules.means(stored, really)) return "store";

    const auto readings = buffers.readings(contents, cell);
    if (std::none_of(readings.begin(), readings.end(), [&](const auto& reading) {
          return reading.own == buffer.newest(cell) && rules.means(reading.when, buffer);
        }))
      return "reading";
    if (buffer.write_possible(cell, buffering)) {
      Contents drained = contents;
      if (!buffers.keep_drained_for_write(drained, cell)) return "write";
      if (!rules.means(drained, buffer)) return "what is kept by a write";
    }
  }
  Contents kept = contents;
  if (buffer.load_possible() && (!buffers.keep_readable(kept) || !rules.means(kept, buffer))) return "load";
  kept = contents;
  if (buffer.pending.empty() && (!buffers.keep_empty(kept) || !rules.means(kept, buffer))) return "empty";
  for (uint8_t bits = 0; bits < 16; ++bits) {
    ConcreteBuffer really = buffer;
    if (!really.fence(FenceKinds(bits), buffering)) continue;
    const auto results = buffers.after_fence(contents, FenceKinds(bits));
    if (!rules.any_means(results, really)) return "fence";
  }
  const auto flushes = buffers.flushes(contents);
  for (size_t i = 0; i < buffer.pending.size(); ++i) {
    if (!buffer.may_be_flushed(i, buffering)) continue;
    const ConcreteStore& store = buffer.pending[i];
    if (std::none_of(flushes.begin(), flushes.end(), [&](const check::Flush<Contents>& flush) {
          return flush.cell == store.cell && flush.value == store.value &&
                 rules.means(flush.after, buffer.without(i));
        }))
      return "flush";
  }
  return "";
}

class AutomataBufferWorld : public ::testing::TestWithParam<Buffering> {};

TEST_P(AutomataBufferWorld, NoStepIsMissed) {
  const World world = world_of(GetParam(), 4);
  Rules rules(GetParam());
  Rng rng(21);
  size_t looked_at = 0;
  for (int round = 0; round < 150; ++round) {
    const Contents contents = rules.some_of(world, rng);
    ASSERT_EQ(rules.buffers.malformed(contents, kCells), std::nullopt);
    for (ConcreteBuffer buffer : world.buffers)
      for (const bool marked : {false, true}) {
        for (ConcreteStore& store : buffer.pending) store.marked = marked;
        if (!rules.means(contents, buffer)) continue;
        ++looked_at;
        ASSERT_EQ(missing_step(rules, contents, buffer), "");
      }
  }
  EXPECT_GT(looked_at, 300u);
}

TEST_P(AutomataBufferWorld, ResultsAreNormal) {
  const World world = world_of(GetParam(), 4);
  Rules rules(GetParam());
  Rng rng(22);
  for (int round = 0; round < 300; ++round) {
    const Contents contents = rules.some_of(world, rng);
    for (const Contents& after : rules.buffers.after_fence(contents, FenceKinds::store_store()))
      ASSERT_FALSE(rules.can_all_begin_with_barrier(after) && !rules.can_all_begin_with_barrier(contents));
    for (const auto& flush : rules.buffers.flushes(contents)) {
      ASSERT_FALSE(rules.can_all_begin_with_barrier(flush.after));
      ASSERT_FALSE(check::AutomataBuffer::represents_nothing(flush.after));
    }
  }
}

INSTANTIATE_TEST_SUITE_P(Models, AutomataBufferWorld,
                         ::testing::Values(Buffering::kPerThread, Buffering::kPerCell),
                         [](const auto& model) {
                           return model.param == Buffering::kPerCell ? "pso" : "tso";
                         });

// By hand: x is pending before a barrier, y behind it.
TEST(AutomataBuffer, ABarrierVanishesWithTheLastStoreBeforeIt) {
  Rules rules(Buffering::kPerCell);
  const Letter bar = Letter::barrier(), x{0, 1, false}, y{1, 1, false};
  const auto word = [&](const Word& w) { return rules.languages.accepted_by(only({w})); };
  const uint32_t empty = check::QueueLanguages::kEmptyWord;
  Contents contents = rules.buffers.nothing_pending();
  EXPECT_EQ(rules.buffers.after_fence(contents, FenceKinds::store_store()), std::vector<Contents>{contents});
  rules.buffers.store(contents, 0, 1);
  EXPECT_EQ(contents, (Contents{word({x}), empty}));
  contents = rules.buffers.after_fence(contents, FenceKinds::store_store()).at(0);
  EXPECT_EQ(contents, (Contents{word({x, bar}), word({bar})}));
  EXPECT_EQ(rules.buffers.after_fence(contents, FenceKinds::store_store()), std::vector<Contents>{contents});
  Contents no_write = contents;
  EXPECT_FALSE(rules.buffers.keep_drained_for_write(no_write));
  rules.buffers.store(contents, 1, 1);
  EXPECT_EQ(contents, (Contents{word({x, bar}), word({bar, y})}));
  const auto flushes = rules.buffers.flushes(contents);
  ASSERT_EQ(flushes.size(), 1u);
  EXPECT_EQ(flushes[0].cell, 0u);
  EXPECT_EQ(flushes[0].after, (Contents{empty, word({y})}));
}

}  // namespace
}  // namespace fenceline::testing
