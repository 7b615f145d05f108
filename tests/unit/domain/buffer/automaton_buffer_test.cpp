// SPDX-License-Identifier: GPL-3.0-or-later
//
// Sets of buffers against the buffers themselves, at random: a few AutomatonBuffers (the parts) and the set
// of all FifoBuffers that they represent together go through the same steps. A step on the set is the step of
// each of its members. After every step the parts must represent exactly the members, and answer all
// queries as the members do. Languages without end come in by repetition, so there are infinitely many
// members; only those with up to so many stores are kept, one fewer after each flush.
#include "domain/buffer/automaton_buffer.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <map>
#include <set>

#include "base/rng.h"
#include "domain/buffer/fifo_buffer.h"
#include "unit/domain/buffer/buffer_testing.h"

namespace fenceline::buffer {
namespace {

using testing::layout_for;
using testing::packed;

constexpr uint32_t kCells = 2;
constexpr size_t kMostStores = 7;
constexpr size_t kAllStores = 100;  // more than there are without repetition
constexpr size_t kMostMembers = 1000;
constexpr size_t kMostParts = 20;

using Content = std::vector<Word>;  // by queue

size_t stores_in(const Content& content) {
  size_t stores = 0;
  for (const Word& word : content)
    stores += static_cast<size_t>(std::count_if(
        word.begin(), word.end(), [](const Letter& letter) { return letter != Letter::barrier(); }));
  return stores;
}

// The exact buffer. It does not show whether a barrier is pending, so that is kept beside it.
struct Member {
  FifoBuffer buffer;
  bool barrier_pending = false;

  // Its epochs as barriers between letters.
  Content content(const BufferLayout& layout) const {
    Content words(layout.per_cell ? layout.cells.size() : 1);
    std::vector<uint32_t> epochs(words.size(), 0);
    const auto go_to = [&](size_t queue, uint32_t epoch) {
      for (; epochs[queue] < epoch; ++epochs[queue]) words[queue].push_back(Letter::barrier());
    };
    for (const FifoBuffer::Entry& entry : buffer.entries()) {
      const size_t queue = layout.per_cell ? layout.cell_index[entry.cell] : 0;
      go_to(queue, entry.epoch);
      words[queue].push_back({entry.cell, entry.value, entry.marked != 0});
    }
    const uint32_t newest = buffer.empty() ? 0 : buffer.entries().back().epoch;
    for (size_t queue = 0; queue < words.size(); ++queue) go_to(queue, newest + (barrier_pending ? 1 : 0));
    return words;
  }
};

using Members = std::map<Content, Member>;
using Parts = std::vector<AutomatonBuffer>;

template <class Buffer>
std::vector<FlushChoice> choices(const Buffer& buffer, const BufferLayout& layout) {
  std::vector<FlushChoice> found;
  buffer.for_each_flush(layout, [&](const FlushChoice& choice) { found.push_back(choice); });
  return found;
}

// All words of a language with up to so many stores, read off its automaton.
std::set<Word> words_of(const Automaton& automaton, size_t stores) {
  std::set<Word> words;
  Word word;
  const auto walk = [&](const auto& self, uint32_t at, size_t left) -> void {
    const Automaton::State& state = automaton.states[at];
    if (state.accepting) words.insert(word);
    for (const Automaton::Edge& edge : state.edges) {
      const bool barrier = edge.letter == Letter::barrier();
      if (left == 0 && !barrier) continue;
      word.push_back(edge.letter);
      self(self, edge.to, barrier ? left : left - 1);
      word.pop_back();
    }
  };
  if (!automaton.states.empty()) walk(walk, 0, stores);
  return words;
}

// All contents of a part with up to so many stores. No cycle of its automata has barriers only.
std::set<Content> contents_of(const AutomatonBuffer& part, size_t stores, const BufferLayout& layout) {
  std::set<Content> contents = {{}};
  for (size_t q = 0; q < (layout.per_cell ? layout.cells.size() : 1); ++q) {
    const automata::Language queue =
        part.queues().empty() ? automata::Languages::empty_word() : part.queues()[q];
    const std::set<Word> words = words_of(layout.languages->automaton(queue), stores);
    std::set<Content> longer;
    for (const Word& word : words)
      for (Content content : contents) {
        content.push_back(word);
        if (stores_in(content) <= stores) longer.insert(std::move(content));
      }
    contents = std::move(longer);
  }
  return contents;
}

class Simulation {
 public:
  Simulation(const BufferLayout& layout, Rng& rng) : layout_(layout), rng_(rng) {
    parts_.emplace_back();
    add(members_, Member());
  }

  // False when the sets became too small or too large to go on.
  bool goes_on() const {
    return !members_.empty() && members_.size() <= kMostMembers && parts_.size() <= kMostParts &&
           most_stores_ > 2;
  }

  void step() {
    const uint64_t what = rng_.below(20);
    if (what < 5) return store();
    if (what < 8) return repeat();
    if (what < 10) return may_store();
    if (what < 12 && layout_.barriers) return barrier();
    if (what == 12 && layout_.marks) return mark();
    if (what == 13) return keep();
    if (what < 16) return load();
    flush();
  }

  void compare() const {
    std::set<Content> ours;
    for (const AutomatonBuffer& part : parts_) {
      const std::set<Content> contents = contents_of(part, most_stores_, layout_);
      compare_answers(part, contents);
      round_trip(part);
      ours.insert(contents.begin(), contents.end());
    }
    compare_contents(ours, members_);
    if (parts_.size() > 1) compare_order();
  }

  bool endless() const {
    return std::any_of(parts_.begin(), parts_.end(), [&](const AutomatonBuffer& part) {
      return std::any_of(part.queues().begin(), part.queues().end(),
                         [&](automata::Language queue) { return layout_.languages->is_endless(queue); });
    });
  }

 private:
  void add(Members& members, const Member& member) const {
    if (member.buffer.size() <= most_stores_) members.emplace(member.content(layout_), member);
  }

  uint32_t any_cell() { return static_cast<uint32_t>(rng_.below(kCells)); }
  Value any_value() { return rng_.between(0, 1); }
  // For one queue.
  Word any_word(uint32_t cell) {
    Word word(1 + rng_.below(2));
    for (Letter& letter : word) letter = {layout_.per_cell ? cell : any_cell(), any_value(), false};
    return word;
  }
  void append(Member& member, const Word& word) const {
    for (const Letter& letter : word) member.buffer.append(letter.variable, letter.value, 0, layout_);
    if (!word.empty()) member.barrier_pending = false;
  }
  size_t queue_of(uint32_t cell) const { return layout_.per_cell ? layout_.cell_index[cell] : 0; }

  // A step with one result for each part and member.
  template <class F, class G>
  void each(const F& part_step, const G& member_step) {
    for (AutomatonBuffer& part : parts_) part_step(part);
    Members next;
    for (auto& [content, member] : members_) {
      member_step(member);
      add(next, member);
    }
    members_ = std::move(next);
  }

  void store() {
    const uint32_t cell = any_cell();
    const Value value = any_value();
    each([&](AutomatonBuffer& part) { part.append(cell, value, 0, layout_); },
         [&](Member& member) {
           append(member, {{cell, value, false}});
         });
  }
  void mark() {
    each([](AutomatonBuffer& part) { part.mark(); }, [](Member& member) { member.buffer.mark(); });
  }

  // One queue of each part becomes another; members have these words appended, each of them once.
  template <class F>
  void widen(uint32_t cell, const F& larger, const std::vector<Word>& words) {
    for (AutomatonBuffer& part : parts_) {
      AutomatonBuffer::Queues queues = part.queues();
      if (queues.empty()) queues.resize(layout_.per_cell ? layout_.cells.size() : 1);
      automata::Language& queue = queues[queue_of(cell)];
      queue = larger(queue);
      part.set_queues(queues, layout_);
    }
    Members next;
    for (const auto& [content, member] : members_)
      for (const Word& word : words) {
        Member longer = member;
        append(longer, word);
        add(next, longer);
      }
    members_ = std::move(next);
  }
  void repeat() {
    const uint32_t cell = any_cell();
    const Word word = any_word(cell);
    std::vector<Word> rounds = {{}};
    while (rounds.back().size() <= most_stores_) {
      rounds.push_back(rounds.back());
      rounds.back().insert(rounds.back().end(), word.begin(), word.end());
    }
    widen(
        cell,
        [&](automata::Language queue) {
          return layout_.languages->repeated(queue, {&word, 1});
        },
        rounds);
  }
  void may_store() {
    const uint32_t cell = any_cell();
    const Word word = any_word(cell);
    widen(cell,
          [&](automata::Language queue) {
            return layout_.languages->united(queue, layout_.languages->append(queue, word));
          },
          {{}, word});
  }

  void barrier() {
    Parts next;
    for (const AutomatonBuffer& part : parts_)
      for (uint64_t alternative = 0; alternative < part.barrier_alternatives(); ++alternative)
        next.emplace_back(part).barrier(alternative);
    parts_ = std::move(next);
    each([](AutomatonBuffer&) {},
         [](Member& member) {
           member.buffer.barrier();
           member.barrier_pending = !member.buffer.empty();
         });
  }

  // F and G: does it keep anything?
  template <class F, class G>
  void filter(const F& keep_part, const G& keep_member) {
    Parts next;
    for (const AutomatonBuffer& part : parts_) {
      AutomatonBuffer kept = part;
      if (keep_part(kept))
        next.push_back(kept);
      else
        ASSERT_EQ(kept.queues(), part.queues()) << "it keeps nothing, and changes";
    }
    parts_ = std::move(next);
    std::erase_if(members_, [&](const auto& each) { return !keep_member(each.second.buffer); });
  }
  void keep() {
    const uint32_t cell = any_cell();
    switch (rng_.below(6)) {
      case 0:
        return filter([](AutomatonBuffer& part) { return part.keep_drained(); },
                      [](const FifoBuffer& buffer) { return buffer.keep_drained(); });
      case 1:
      case 2:
        return filter([](AutomatonBuffer& part) { return part.keep_loadable(); },
                      [](const FifoBuffer& buffer) { return buffer.keep_loadable(); });
      case 3:
      case 4:
        return filter([](AutomatonBuffer& part) { return part.keep_unbarred(); },
                      [](const FifoBuffer& buffer) { return buffer.keep_unbarred(); });
      default:
        return filter([&](AutomatonBuffer& part) { return part.keep_without(cell, layout_); },
                      [&](const FifoBuffer& buffer) { return buffer.keep_without(cell, layout_); });
    }
  }

  void load() {
    filter([](AutomatonBuffer& part) { return part.keep_loadable(); },
           [](const FifoBuffer& buffer) { return buffer.keep_loadable(); });
    const uint32_t cell = any_cell();
    const Value memory = rng_.between(0, 2);
    std::map<Value, Parts> parts;
    for (const AutomatonBuffer& part : parts_) {
      std::vector<Value> seen;
      for (uint64_t reading = 0; reading < part.readings(cell, memory, layout_); ++reading) {
        AutomatonBuffer left = part;
        const Value value = left.read(cell, reading, memory, layout_);
        ASSERT_TRUE(seen.empty() || seen.back() < value);
        seen.push_back(value);
        parts[value].push_back(left);
      }
    }
    std::map<Value, Members> members;
    for (const auto& [content, member] : members_)
      members[member.buffer.read(cell, 0, memory, layout_)].emplace(content, member);
    go_on_with_one(parts, members);
  }

  void flush() {
    --most_stores_;  // what is left after a flush had one more before it
    std::map<std::pair<uint32_t, Value>, Parts> parts;
    for (const AutomatonBuffer& part : parts_)
      for (const FlushChoice& choice : choices(part, layout_))
        parts[{choice.cell, choice.value}].emplace_back(part).flush(choice, layout_);
    std::map<std::pair<uint32_t, Value>, Members> members;
    for (const auto& [content, member] : members_)
      for (const FlushChoice& choice : choices(member.buffer, layout_)) {
        Member left = member;
        left.buffer.flush(choice, layout_);
        if (left.buffer.empty()) left.barrier_pending = false;
        add(members[{choice.cell, choice.value}], left);
      }
    go_on_with_one(parts, members);
  }

  // A step with several results: each must be right, one of them is kept.
  template <class Key>
  void go_on_with_one(const std::map<Key, Parts>& parts, const std::map<Key, Members>& members) {
    std::vector<Key> keys;
    for (const auto& [key, some] : parts) {
      std::set<Content> ours;
      for (const AutomatonBuffer& part : some) {
        const std::set<Content> contents = contents_of(part, most_stores_, layout_);
        ours.insert(contents.begin(), contents.end());
      }
      if (members.contains(key))
        compare_contents(ours, members.at(key));
      else  // all that can take the step have more stores than are kept
        ASSERT_TRUE(ours.empty()) << "a step that no member can take";
      keys.push_back(key);
    }
    for (const auto& [key, some] : members) ASSERT_TRUE(parts.contains(key)) << "a step that is missing";
    const Key chosen = keys.empty() ? Key() : keys[rng_.below(keys.size())];
    parts_ = parts.contains(chosen) ? parts.at(chosen) : Parts();
    members_ = members.contains(chosen) ? members.at(chosen) : Members();
  }

  void compare_contents(const std::set<Content>& ours, const Members& members) const {
    for (const Content& content : ours) ASSERT_TRUE(members.contains(content)) << "too much";
    for (const auto& [content, member] : members) ASSERT_TRUE(ours.contains(content)) << "too little";
  }

  // The predicates of a part, and whether they hold for its contents. That all contents have a certain form
  // is known from those with few stores only where that is all of them.
  void compare_answers(const AutomatonBuffer& part, const std::set<Content>& contents) const {
    const bool exact = part.order_is_exact(layout_);
    for (const Content& content : contents) {
      const auto member = members_.find(content);
      ASSERT_NE(member, members_.end()) << "too much";
      const FifoBuffer& buffer = member->second.buffer;
      ASSERT_TRUE(!part.empty() || buffer.empty());
      ASSERT_TRUE(part.may_be_empty() || !buffer.empty());
      for (uint32_t cell = 0; cell < kCells; ++cell) {
        ASSERT_TRUE(part.holds(cell) || !buffer.holds(cell));
        // Where one queue has the stores to all cells, a cell may be in some words only.
        if (exact && layout_.per_cell) {
          ASSERT_EQ(part.holds(cell), buffer.holds(cell));
        }
      }
      ASSERT_TRUE(!part.loads_blocked() || buffer.loads_blocked());
      ASSERT_TRUE(!part.stores_blocked() || buffer.stores_blocked());
      if (exact) {
        ASSERT_EQ(part.empty(), buffer.empty());
        ASSERT_EQ(part.loads_blocked(), buffer.loads_blocked());
        ASSERT_EQ(part.stores_blocked(), buffer.stores_blocked());
      }
    }
    if (part.may_be_empty()) {
      ASSERT_TRUE(contents.contains(Content(layout_.per_cell ? layout_.cells.size() : 1)));
    }
  }

  void compare_order() const {
    for (size_t i = 0; i + 1 < parts_.size() && i < 6; ++i) {
      const AutomatonBuffer &one = parts_[i], &two = parts_[i + 1];
      ASSERT_TRUE(one.subsumes(one, layout_));
      const size_t stores = endless() ? most_stores_ : kAllStores;
      const std::set<Content> ones = contents_of(one, stores, layout_);
      const std::set<Content> twos = contents_of(two, stores, layout_);
      const bool within = std::includes(ones.begin(), ones.end(), twos.begin(), twos.end());
      ASSERT_TRUE(!one.subsumes(two, layout_) || within);
      if (!endless()) {
        ASSERT_EQ(one.subsumes(two, layout_), within);
      }
      ASSERT_EQ(one.subsumes(two, layout_) && two.subsumes(one, layout_),
                packed(one, layout_) == packed(two, layout_));
    }
  }

  void round_trip(const AutomatonBuffer& part) const {
    BitWriter writer;
    part.pack(writer, layout_);
    writer.put(0x2a, 6);
    BitReader reader(writer.finish().data());
    AutomatonBuffer again;
    again.append(0, 1, 0, layout_);  // must not show afterwards
    again.unpack(reader, layout_);
    ASSERT_EQ(reader.get(6), 0x2aU);
    ASSERT_TRUE(again.subsumes(part, layout_) && part.subsumes(again, layout_));
    ASSERT_EQ(packed(again, layout_), packed(part, layout_));
    if (!part.empty()) {
      ASSERT_EQ(again.queues(), part.queues());
    }
  }

  const BufferLayout& layout_;
  Rng& rng_;
  size_t most_stores_ = kMostStores;
  Parts parts_;
  Members members_;
};

TEST(AutomatonBuffer, RepresentsExactlyTheBuffersOfASet) {
  Rng rng(11);
  size_t steps = 0, endless = 0;
  for (const unsigned kind : {0U, 1U, 2U, 4U, 3U, 5U, 7U}) {
    BufferLayout layout = layout_for((kind & 1U) != 0, "set", false, 0, 2);
    layout.barriers = layout.per_cell && (kind & 2U) != 0;
    layout.marks = (kind & 4U) != 0;
    for (int round = 0; round < 500; ++round) {
      automata::Languages languages;
      layout.languages = &languages;
      Simulation simulation(layout, rng);
      for (int i = 0; i < 20 && simulation.goes_on(); ++i) {
        simulation.step();
        if (!HasFatalFailure()) simulation.compare();
        if (HasFatalFailure()) FAIL() << "layout " << kind << " round " << round << " step " << i;
        ++steps;
        endless += simulation.endless() ? 1 : 0;
      }
    }
  }
  EXPECT_GT(steps, 20000U);
  EXPECT_GT(endless, 8000U);
}

// ---- By hand

class SetsOfBuffers : public ::testing::Test {
 protected:
  BufferLayout layout(bool per_cell, bool barriers) {
    BufferLayout layout = layout_for(per_cell, "set");
    layout.barriers = barriers;
    layout.languages = &languages_;
    return layout;
  }
  std::vector<Word> shortest(automata::Language language, size_t count) {
    return languages_.shortest_words(language, count);
  }
  automata::Languages languages_;
  const Letter x1_{0, 1, false}, x0_{0, 0, false}, y1_{1, 1, false};
};

TEST_F(SetsOfBuffers, ALoadPartsWhatItSees) {
  const BufferLayout tso = layout(false, false);
  const Word round = {x1_, x0_};
  AutomatonBuffer buffer;
  buffer.set_queues({languages_.repeated(automata::Languages::empty_word(), {&round, 1})}, tso);
  ASSERT_EQ(buffer.readings(0, 1, tso), 2U);  // 0 from the buffer, 1 from memory if it is empty
  ASSERT_EQ(buffer.readings(0, 0, tso), 1U);
  ASSERT_EQ(buffer.readings(1, 5, tso), 1U);
  AutomatonBuffer from_memory = buffer;
  EXPECT_EQ(from_memory.read(0, 1, 1, tso), 1);
  EXPECT_TRUE(from_memory.empty());
  AutomatonBuffer from_buffer = buffer;
  EXPECT_EQ(from_buffer.read(0, 0, 1, tso), 0);
  EXPECT_FALSE(from_buffer.may_be_empty());
  EXPECT_TRUE(buffer.subsumes(from_buffer, tso));
  EXPECT_FALSE(from_buffer.subsumes(buffer, tso));
}

TEST_F(SetsOfBuffers, CellsThatAreNeverStoredToAreInMemory) {
  BufferLayout layout = this->layout(true, false);
  layout.cells = {1};
  layout.cell_index = {0, 0};
  AutomatonBuffer buffer;
  buffer.append(1, 3, 0, layout);
  EXPECT_EQ(buffer.readings(0, 7, layout), 1U);
  EXPECT_EQ(buffer.read(0, 0, 7, layout), 7);
  EXPECT_TRUE(buffer.keep_without(0, layout));
  EXPECT_FALSE(buffer.keep_without(1, layout));
  EXPECT_EQ(buffer.read(1, 0, 7, layout), 3);
}

// A barrier behind {ε, x=1}: where no store is pending there is nothing to order.
TEST_F(SetsOfBuffers, ABarrierPartsASet) {
  const BufferLayout pso = layout(true, true);
  AutomatonBuffer buffer;
  const automata::Language maybe =
      languages_.united(automata::Languages::empty_word(), languages_.word({x1_}));
  buffer.set_queues({maybe, automata::Languages::empty_word()}, pso);
  ASSERT_EQ(buffer.barrier_alternatives(), 2U);
  AutomatonBuffer ordered = buffer, empty = buffer;
  ordered.barrier(0);
  empty.barrier(1);
  EXPECT_TRUE(empty.empty());
  EXPECT_EQ(shortest(ordered.queues()[0], 2), (std::vector<Word>{{x1_, Letter::barrier()}}));
  EXPECT_EQ(shortest(ordered.queues()[1], 2), (std::vector<Word>{{Letter::barrier()}}));
  // y has to wait for x; when x is flushed, the barriers vanish.
  ordered.append(1, 1, 0, pso);
  ASSERT_EQ(choices(ordered, pso).size(), 1U);
  EXPECT_EQ(choices(ordered, pso)[0].cell, 0U);
  ordered.flush(choices(ordered, pso)[0], pso);
  EXPECT_EQ(ordered.queues()[0], automata::Languages::empty_word());
  EXPECT_EQ(ordered.queues()[1], languages_.word({y1_}));
}

}  // namespace
}  // namespace fenceline::buffer
