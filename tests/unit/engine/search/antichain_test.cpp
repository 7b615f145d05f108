// SPDX-License-Identifier: GPL-3.0-or-later
//
// The antichain of a search, on made-up states: sets of numbers, where a set subsumes its subsets.
#include "engine/search/antichain.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <map>

#include "base/bits.h"
#include "base/rng.h"
#include "env/errors.h"

namespace fenceline::engine {
namespace {

// A state is a byte that is its subsumption class and a byte of bits.
class Subsets final : public machine::OrderedSystem {
 public:
  uint64_t take_candidate(machine::PackedState state) override {
    candidate_ = {state[0], state[1]};
    return state[0] % 3;  // hashes may collide; then comparing has to notice
  }
  Order compare_with_candidate(machine::PackedState state) override {
    if (state[0] != candidate_[0]) return Order::kUnrelated;
    if ((candidate_[1] & ~state[1]) == 0) return Order::kSubsumesCandidate;
    return (state[1] & ~candidate_[1]) == 0 ? Order::kCandidateSubsumes : Order::kUnrelated;
  }

  void initial(machine::StateSink& /*sink*/) override { throw Bug("there are no steps"); }
  void successors(machine::PackedState /*state*/, machine::StateSink& /*sink*/) override {
    throw Bug("there are no steps");
  }
  bool excused(machine::PackedState /*state*/) override { return false; }
  void record_paths(bool /*on*/) override {}
  const std::vector<TraceStep>& path() const override { return path_; }
  const std::vector<ViolatedOrdering>& violated_orderings() const override { return violated_orderings_; }

 private:
  std::vector<uint8_t> candidate_;
  std::vector<TraceStep> path_;
  std::vector<ViolatedOrdering> violated_orderings_;
};

struct State {
  uint8_t bytes[2 + kBitSlack] = {};
  State(uint64_t group, uint64_t bits) : bytes{static_cast<uint8_t>(group), static_cast<uint8_t>(bits)} {}
  machine::PackedState packed() const { return {bytes, 2}; }
};

bool subsumes(machine::PackedState wide, machine::PackedState narrow) {
  return wide[0] == narrow[0] && (narrow[1] & ~wide[1]) == 0;
}

TEST(Antichain, KeepsTheMaximalElements) {
  Subsets system;
  Antichain antichain(system);
  const Antichain::Inserted small = antichain.insert(State(0, 0b001).packed(), Antichain::kNone);
  EXPECT_TRUE(small.fresh);
  const Antichain::Inserted other = antichain.insert(State(0, 0b100).packed(), small.id);
  EXPECT_TRUE(other.fresh);
  EXPECT_EQ(antichain.maximal_elements(), 2U);
  const Antichain::Inserted large = antichain.insert(State(0, 0b011).packed(), other.id);
  EXPECT_TRUE(large.fresh);
  EXPECT_FALSE(antichain.maximal(small.id));
  EXPECT_EQ(antichain.subsumed_by(small.id), large.id);
  EXPECT_TRUE(antichain.maximal(other.id));
  EXPECT_EQ(antichain.maximal_elements(), 2U);
  EXPECT_EQ(antichain.size(), 3U);
  // A subsumed state is not added, and the id is that of the state that subsumes it; a state that was
  // inserted once keeps its id.
  const Antichain::Inserted subsumed = antichain.insert(State(0, 0b010).packed(), other.id);
  EXPECT_FALSE(subsumed.fresh);
  EXPECT_EQ(subsumed.id, large.id);
  const Antichain::Inserted again = antichain.insert(State(0, 0b001).packed(), other.id);
  EXPECT_FALSE(again.fresh);
  EXPECT_EQ(again.id, small.id);
  EXPECT_TRUE(antichain.insert(State(1, 0b001).packed(), other.id).fresh);  // another class
}

TEST(Antichain, PathsLeadThroughSubsumedStates) {
  Subsets system;
  Antichain antichain(system);
  const auto first = antichain.insert(State(0, 0b001).packed(), Antichain::kNone).id;
  const auto second = antichain.insert(State(1, 0b001).packed(), first).id;
  antichain.insert(State(0, 0b011).packed(), second);
  EXPECT_FALSE(antichain.maximal(first));
  const std::vector<machine::PackedState> chain = antichain.chain(second);
  ASSERT_EQ(chain.size(), 2U);
  EXPECT_EQ(chain[0][0], 0);
  EXPECT_EQ(chain[0][1], 0b001);
  EXPECT_EQ(chain[1][0], 1);
}

TEST(Antichain, AtRandom) {
  Subsets system;
  Antichain antichain(system);
  Rng rng(6);
  std::vector<State> given;
  for (int i = 0; i < 8000; ++i) {
    const State state(rng.below(200), rng.next() & rng.next());
    given.push_back(state);
    const Antichain::Inserted inserted = antichain.insert(
        state.packed(),
        antichain.size() == 0 ? Antichain::kNone : static_cast<Antichain::Id>(rng.below(antichain.size())));
    ASSERT_TRUE(subsumes(antichain.state(inserted.id), state.packed()));
  }
  std::map<uint8_t, std::vector<machine::PackedState>> maximal;  // by class
  size_t count = 0;
  for (Antichain::Id id = 0; id < antichain.size(); ++id) {
    if (!antichain.maximal(id)) {
      ASSERT_TRUE(subsumes(antichain.state(antichain.subsumed_by(id)), antichain.state(id)));
      continue;
    }
    ++count;
    maximal[antichain.state(id)[0]].push_back(antichain.state(id));
  }
  EXPECT_EQ(antichain.maximal_elements(), count);
  for (const auto& [group, states] : maximal)
    for (size_t a = 0; a < states.size(); ++a)
      for (size_t b = 0; b < states.size(); ++b) ASSERT_EQ(subsumes(states[a], states[b]), a == b);
  for (const State& state : given)
    ASSERT_TRUE(std::any_of(maximal[state.bytes[0]].begin(), maximal[state.bytes[0]].end(),
                            [&](machine::PackedState large) { return subsumes(large, state.packed()); }));
}

}  // namespace
}  // namespace fenceline::engine
