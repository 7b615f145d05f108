// SPDX-License-Identifier: GPL-3.0-or-later
//
// The visited set: every state once, whichever worker comes first, however often the table grows.
#include "engine/search/state_store.h"

#include <gtest/gtest.h>

#include <cstring>
#include <map>
#include <string>
#include <thread>

#include "base/rng.h"

namespace fenceline::engine {
namespace {

machine::PackedState bytes(const std::string& text) {
  return {reinterpret_cast<const uint8_t*>(text.data()), text.size()};
}

StateStore::Inserted insert(StateStore& store, unsigned worker, const std::string& text,
                            StateStore::Ref parent = 0) {
  return store.insert(worker, bytes(text), StateStore::hash(bytes(text)), parent);
}

void grow(StateStore& store, unsigned workers) {
  store.begin_growth();
  for (unsigned w = 0; w < workers; ++w) store.reinsert(w);
  store.end_growth();
}

TEST(StateStore, KeepsEveryStateOnceWithItsParent) {
  StateStore store(1);
  Rng rng(5);
  std::map<std::string, StateStore::Ref> model;
  StateStore::Ref last = StateStore::kNone;
  for (int i = 0; i < 60000; ++i) {
    if (store.crowded()) grow(store, 1);
    // Lengths around the limit of one length byte, and many repetitions.
    std::string text(rng.chance(1) ? 250 + rng.below(10) : rng.below(12), '\0');
    for (char& c : text) c = static_cast<char>(rng.below(3));
    const auto [ref, fresh] = insert(store, 0, text, last);
    const auto [known, is_new] = model.emplace(text, ref);
    ASSERT_EQ(fresh, is_new);
    ASSERT_EQ(ref, known->second);
    if (fresh) {
      ASSERT_EQ(store.parent(ref), last);
      last = ref;
    }
  }
  EXPECT_EQ(store.size(), model.size());
  for (const auto& [text, ref] : model) {
    const machine::PackedState state = store.state(ref);
    ASSERT_EQ(std::string(state.begin(), state.end()), text);
  }
}

TEST(StateStore, BlocksAreLeftWhenFullAndFoundAgain) {
  StateStore store(1);
  std::vector<StateStore::Ref> refs;
  for (uint32_t i = 0; i < 30000; ++i) {  // about 30 MB: several blocks
    if (store.crowded()) grow(store, 1);
    std::string text(1000 + i % 7, 'x');
    std::memcpy(text.data(), &i, sizeof i);
    refs.push_back(insert(store, 0, text).ref);
  }
  grow(store, 1);
  for (uint32_t i = 0; i < refs.size(); ++i) {
    std::string text(1000 + i % 7, 'x');
    std::memcpy(text.data(), &i, sizeof i);
    const auto [ref, fresh] = insert(store, 0, text);
    ASSERT_FALSE(fresh);
    ASSERT_EQ(ref, refs[i]);
  }
}

TEST(StateStore, WorkersRacingForTheSameStatesAgree) {
  constexpr unsigned kWorkers = 4;
  constexpr uint32_t kStates = 100000;
  StateStore store(kWorkers);
  std::vector<std::vector<StateStore::Ref>> seen(kWorkers, std::vector<StateStore::Ref>(kStates));
  std::atomic<uint64_t> fresh_states{0};
  {
    std::vector<std::jthread> threads;
    for (unsigned w = 0; w < kWorkers; ++w)
      threads.emplace_back([&, w] {
        for (uint32_t i = 0; i < kStates; ++i) {
          std::string text(12, '\0');
          std::memcpy(text.data(), &i, sizeof i);
          const auto [ref, fresh] = insert(store, w, text);
          seen[w][i] = ref;
          if (fresh) ++fresh_states;
        }
      });
  }
  EXPECT_EQ(fresh_states, kStates);
  EXPECT_EQ(store.size(), kStates);
  for (unsigned w = 1; w < kWorkers; ++w) EXPECT_EQ(seen[w], seen[0]);
}

}  // namespace
}  // namespace fenceline::engine
