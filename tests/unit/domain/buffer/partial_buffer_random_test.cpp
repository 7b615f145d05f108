// SPDX-License-Identifier: GPL-3.0-or-later
//
// That abstract buffers are sound, at random: an exact buffer and abstract ones go through the same stores,
// barriers, marks and flushes. An abstract buffer that represents the exact one (as task/buffer_contents.h
// says it; written down once more here, as a predicate) must allow whatever the exact one allows, and for
// every flush one of its choices must lead to a buffer that represents the remaining one. Then the order
// between abstract buffers: what one allows, one that subsumes it allows, too.
#include <gtest/gtest.h>

#include <algorithm>
#include <map>
#include <set>
#include <type_traits>

#include "base/rng.h"
#include "domain/buffer/fifo_buffer.h"
#include "domain/buffer/partial_buffer.h"
#include "unit/domain/buffer/buffer_testing.h"

namespace fenceline::buffer {
namespace {

using testing::layout_for;
using testing::packed;

constexpr uint32_t kCells = 2;
constexpr const char* kNames[] = {"set", "fd0", "fd1", "fd2", "fd3", "pd0", "pd1", "pd2", "pd3"};

// The exact buffer. It does not show whether a barrier is pending, so that is kept beside it.
struct Exact {
  FifoBuffer buffer;
  bool barrier_pending = false;
};

// ---- What it means to represent

bool has(const std::vector<Value>& values, Value value) {
  return std::find(values.begin(), values.end(), value) != values.end();
}

// Epochs are relative: there must be a strictly monotone map from those of the abstract buffer to exact ones.
class Epochs {
 public:
  bool same(uint32_t abstract, uint32_t exact) {
    return known_.emplace(abstract, exact).first->second == exact;
  }
  bool monotone() const {
    const auto unsorted = std::adjacent_find(
        known_.begin(), known_.end(), [](const auto& a, const auto& b) { return a.second >= b.second; });
    return unsorted == known_.end();
  }
  // Can the abstract epoch be one that is not later than the exact one?
  bool not_later(uint32_t abstract, uint32_t exact) const {
    const auto at = known_.find(abstract);
    if (at != known_.end()) return at->second <= exact;
    auto before = known_.lower_bound(abstract);
    return before == known_.begin() || (--before)->second < exact;
  }

 private:
  std::map<uint32_t, uint32_t> known_;
};

using Entries = std::vector<FifoBuffer::Entry>;

bool represents_tail(const BufferContents::Tail& tail, const Entries& entries, const BufferLayout& layout,
                     Epochs& epochs) {
  if (entries.empty() || !has(tail.newest, entries.back().value)) return false;
  for (const FifoBuffer::Entry& entry : entries)
    if (!has(tail.values, entry.value)) return false;
  for (const Value value : tail.values)
    if (tail.all_present && std::none_of(entries.begin(), entries.end(),
                                         [&](const FifoBuffer::Entry& e) { return e.value == value; }))
      return false;
  if (layout.marks) {
    if (tail.newest_marked != (entries.back().marked != 0)) return false;
    for (const FifoBuffer::Entry& entry : entries)
      if (tail.newest_marked && entry.marked == 0) return false;
  }
  return !layout.barriers || epochs.same(tail.newest_epoch, entries.back().epoch);
}

bool represents(const BufferContents& all, const Exact& exact, const BufferLayout& layout) {
  if (layout.barriers && all.barrier_pending != exact.barrier_pending) return false;
  Epochs epochs;
  std::vector<Entries> queues(layout.per_cell ? kCells : 1);
  for (const FifoBuffer::Entry& entry : exact.buffer.entries())
    queues[layout.per_cell ? entry.cell : 0].push_back(entry);
  std::vector<size_t> taken(queues.size(), 0);
  for (const BufferContents::Entry& ours : all.head) {
    const size_t queue = layout.per_cell ? ours.cell : 0;
    if (taken[queue] == queues[queue].size()) return false;
    const FifoBuffer::Entry& theirs = queues[queue][taken[queue]++];
    if (theirs.cell != ours.cell || !has(ours.values, theirs.value)) return false;
    if (layout.marks && ours.marked != (theirs.marked != 0)) return false;
    if (layout.barriers && !epochs.same(ours.epoch, theirs.epoch)) return false;
  }
  std::vector<Entries> left(kCells);
  for (size_t queue = 0; queue < queues.size(); ++queue)
    for (size_t i = taken[queue]; i < queues[queue].size(); ++i)
      left[queues[queue][i].cell].push_back(queues[queue][i]);
  for (const BufferContents::Tail& tail : all.tail)
    if (!represents_tail(tail, left[tail.cell], layout, epochs)) return false;
  if (!epochs.monotone()) return false;
  for (const BufferContents::Tail& tail : all.tail) {
    for (const FifoBuffer::Entry& entry : left[tail.cell])
      if (layout.barriers && !epochs.not_later(tail.oldest_epoch, entry.epoch)) return false;
    left[tail.cell].clear();
  }
  return std::all_of(left.begin(), left.end(), [](const Entries& entries) { return entries.empty(); });
}

// Where buffers remember which instruction stored a value, the exact one remembers it as well, as part of the
// value: value * 4 + origin.
template <class D>
constexpr bool kLabelled = std::is_same_v<D, LabelledValues>;
template <class D>
Value exact_value(Value value, uint32_t origin) {
  return kLabelled<D> ? value * 4 + origin : value;
}
template <class D>
Value plain_value(Value exact) {
  return kLabelled<D> ? exact >> 2 : exact;
}

template <class D>
BufferContents contents_of(const PartialBuffer<D>& buffer, const BufferLayout& layout) {
  BufferContents all = buffer.contents(layout);
  if constexpr (kLabelled<D>) {
    const auto exact = [](const LabelledValues::Element& e) { return exact_value<D>(e.value, e.origin); };
    for (size_t i = 0; i < all.head.size(); ++i) all.head[i].values = {exact(buffer.head()[i].value)};
    for (size_t i = 0; i < all.tail.size(); ++i) {
      all.tail[i].values.clear();
      for (const auto& element : buffer.tails()[i].values) all.tail[i].values.push_back(exact(element));
      all.tail[i].newest = {exact(buffer.tails()[i].newest)};
      if (layout.abstraction.kind == Abstraction::Kind::kSet) all.tail[i].newest = all.tail[i].values;
    }
  }
  return all;
}

// ---- Steps

template <class Buffer>
std::vector<FlushChoice> choices(const Buffer& buffer, const BufferLayout& layout) {
  std::vector<FlushChoice> found;
  buffer.for_each_flush(layout, [&](const FlushChoice& choice) { found.push_back(choice); });
  return found;
}

template <class Buffer>
std::set<Value> readings(const Buffer& buffer, uint32_t cell, const BufferLayout& layout) {
  std::set<Value> values;
  for (uint64_t n = 0; n < buffer.readings(cell, 0, layout); ++n)
    if (const auto value = buffer.newest(cell, n, layout)) values.insert(*value);
  return values;
}

template <class D>
class Simulation {
 public:
  using Buffer = PartialBuffer<D>;
  using Set = std::map<std::string, Buffer>;  // by bytes

  Simulation(const BufferLayout& layout, Rng& rng) : layout_(layout), rng_(rng) {
    insert(abstract_, Buffer());
  }

  void step() {
    const uint64_t what = rng_.below(10);
    if (what < 4) return store();
    if (what == 4 && layout_.barriers) {
      exact_.buffer.barrier();
      exact_.barrier_pending = !exact_.buffer.empty();
      return change([](Buffer& buffer) { buffer.barrier(); });
    }
    if (what == 5 && layout_.marks) {
      exact_.buffer.mark();
      return change([](Buffer& buffer) { buffer.mark(); });
    }
    flush();
  }

  // Whatever the exact buffer allows is allowed by everything that represents it.
  void compare() const {
    ASSERT_FALSE(abstract_.empty()) << "nothing represents the exact buffer";
    for (const auto& [bytes, buffer] : abstract_) {
      ASSERT_EQ(buffer.empty(), exact_.buffer.empty());
      for (uint32_t cell = 0; cell < kCells; ++cell) {
        ASSERT_EQ(buffer.holds(cell), exact_.buffer.holds(cell));
        if (const Value* newest = exact_.buffer.newest(cell))
          ASSERT_TRUE(readings(buffer, cell, layout_).contains(plain_value<D>(*newest)));
        else
          ASSERT_TRUE(readings(buffer, cell, layout_).empty());
      }
      ASSERT_TRUE(!buffer.loads_blocked() || exact_.buffer.loads_blocked());
      ASSERT_TRUE(!buffer.stores_blocked() || exact_.buffer.stores_blocked());
      if (buffer.order_is_exact(layout_)) {
        ASSERT_EQ(buffer.loads_blocked(), exact_.buffer.loads_blocked());
        ASSERT_EQ(buffer.stores_blocked(), exact_.buffer.stores_blocked());
      }
      round_trip(buffer);
    }
  }

  const Set& abstract() const { return abstract_; }
  const Exact& exact() const { return exact_; }

 private:
  static constexpr size_t kMostAbstract = 60;  // that are simulated

  void insert(Set& set, const Buffer& buffer) const { set.emplace(packed(buffer, layout_), buffer); }
  bool stands(const Buffer& buffer, const Exact& exact) const {
    return represents(contents_of<D>(buffer, layout_), exact, layout_);
  }

  void store() {
    const auto cell = static_cast<uint32_t>(rng_.below(kCells));
    const FieldLayout& field = layout_.values[cell];
    const Value value = rng_.between(field.lo, field.hi);
    const auto origin = static_cast<uint32_t>(rng_.below(4));
    exact_.buffer.append(cell, exact_value<D>(value, origin), origin, layout_);
    exact_.barrier_pending = false;
    change([&](Buffer& buffer) { buffer.append(cell, value, origin, layout_); });
  }

  // A step that has one result.
  template <class F>
  void change(const F& f) {
    Set next;
    for (auto [bytes, buffer] : abstract_) {
      f(buffer);
      ASSERT_TRUE(stands(buffer, exact_));
      insert(next, buffer);
    }
    abstract_ = std::move(next);
  }

  void flush() {
    const std::vector<FlushChoice> possible = choices(exact_.buffer, layout_);
    if (possible.empty()) return;
    const FlushChoice& flushed = possible[rng_.below(possible.size())];
    exact_.buffer.flush(flushed, layout_);
    if (exact_.buffer.empty()) exact_.barrier_pending = false;
    Set next;
    for (const auto& [bytes, buffer] : abstract_) {
      bool matched = false;
      for (const FlushChoice& choice : choices(buffer, layout_)) {
        if (choice.cell != flushed.cell || choice.value != plain_value<D>(flushed.value)) continue;
        Buffer left = buffer;
        left.flush(choice, layout_);
        if (!stands(left, exact_)) continue;
        matched = true;
        if (next.size() < kMostAbstract) insert(next, left);
      }
      ASSERT_TRUE(matched) << "a flush of the exact buffer that this one does not allow";
    }
    abstract_ = std::move(next);
  }

  void round_trip(const Buffer& buffer) const {
    BitWriter writer;
    buffer.pack(writer, layout_);
    writer.put(0x2a, 6);
    BitReader reader(writer.finish().data());
    Buffer again;
    again.append(0, layout_.values[0].lo, 0, layout_);  // must not show afterwards
    again.unpack(reader, layout_);
    ASSERT_EQ(reader.get(6), 0x2aU);
    ASSERT_EQ(packed(again, layout_), packed(buffer, layout_));
    ASSERT_EQ(again.contents(layout_), buffer.contents(layout_));
  }

  const BufferLayout& layout_;
  Rng& rng_;
  Exact exact_;
  Set abstract_;  // what represents the exact one and was reached by its steps
};

// The layouts that programs have: partial fences leave something in the buffer on PSO only.
std::vector<BufferLayout> layouts(const char* abstraction, Value least, Value greatest) {
  return {layout_for(true, abstraction, false, least, greatest),
          layout_for(true, abstraction, true, least, greatest),
          layout_for(false, abstraction, false, least, greatest)};
}

template <class D>
class RandomBuffer : public ::testing::Test {};
using AllValues = ::testing::Types<ExactValues, LabelledValues, IntervalValues, ParityValues>;
TYPED_TEST_SUITE(RandomBuffer, AllValues);

TYPED_TEST(RandomBuffer, RepresentsTheExactOneThroughout) {
  Rng rng(7);
  for (const char* name : kNames)
    for (const BufferLayout& layout : layouts(name, -1, 2))
      for (int round = 0; round < 60; ++round) {
        Simulation<TypeParam> simulation(layout, rng);
        for (int i = 0; i < 25; ++i) {
          simulation.step();
          if (!this->HasFatalFailure()) simulation.compare();
          if (this->HasFatalFailure()) FAIL() << name << (layout.per_cell ? " pso" : " tso");
        }
      }
}

// Lists instead of bit masks.
TYPED_TEST(RandomBuffer, RepresentsTheExactOneWithManyValues) {
  Rng rng(8);
  for (const char* name : {"set", "fd1", "pd1"})
    for (const BufferLayout& layout : layouts(name, -40, 60))
      for (int round = 0; round < 5; ++round) {
        Simulation<TypeParam> simulation(layout, rng);
        for (int i = 0; i < 15; ++i) {
          simulation.step();
          if (!this->HasFatalFailure()) simulation.compare();
          if (this->HasFatalFailure()) FAIL() << name << (layout.per_cell ? " pso" : " tso");
        }
      }
}

// ---- The order between abstract buffers

template <class Buffer>
std::string class_of(const Buffer& buffer, const BufferLayout& layout) {
  BitWriter writer;
  buffer.pack_subsumption_class(writer, layout);
  const auto bytes = writer.finish();
  return {bytes.begin(), bytes.end()};
}

// Does `wide` allow what `narrow` allows, for so many steps?
template <class Buffer>
bool simulates(const Buffer& wide, const Buffer& narrow, const BufferLayout& layout, int depth) {
  if (wide.loads_blocked() && !narrow.loads_blocked()) return false;
  if (wide.stores_blocked() && !narrow.stores_blocked()) return false;
  for (uint32_t cell = 0; cell < kCells; ++cell) {
    if (wide.holds(cell) != narrow.holds(cell)) return false;
    const std::set<Value> more = readings(wide, cell, layout), fewer = readings(narrow, cell, layout);
    if (!std::includes(more.begin(), more.end(), fewer.begin(), fewer.end())) return false;
  }
  if (depth == 0) return true;
  const auto both = [&](const auto& step) {
    Buffer wider = wide, narrower = narrow;
    step(wider), step(narrower);
    return simulates(wider, narrower, layout, depth - 1);
  };
  for (uint32_t cell = 0; cell < kCells; ++cell)
    for (const Value value : {layout.values[cell].lo, layout.values[cell].hi})
      if (!both([&](Buffer& buffer) { buffer.append(cell, value, 1, layout); })) return false;
  if (layout.barriers && !both([](Buffer& buffer) { buffer.barrier(); })) return false;
  if (layout.marks && !both([](Buffer& buffer) { buffer.mark(); })) return false;
  const std::vector<FlushChoice> ours = choices(wide, layout);
  for (const FlushChoice& theirs : choices(narrow, layout)) {
    Buffer narrower = narrow;
    narrower.flush(theirs, layout);
    const bool matched = std::any_of(ours.begin(), ours.end(), [&](const FlushChoice& choice) {
      if (choice.cell != theirs.cell || choice.value != theirs.value) return false;
      Buffer wider = wide;
      wider.flush(choice, layout);
      return simulates(wider, narrower, layout, depth - 1);
    });
    if (!matched) return false;
  }
  return true;
}

template <class D>
void check_order(const BufferLayout& layout, Rng& rng, size_t& subsumed) {
  using Buffer = PartialBuffer<D>;
  struct Known {
    Buffer buffer;
    Exact exact;  // one that it represents
  };
  std::map<std::string, std::map<std::string, Known>> classes;
  for (int round = 0; round < 60; ++round) {
    Simulation<D> simulation(layout, rng);
    for (uint64_t n = 1 + rng.below(9); n > 0; --n) simulation.step();
    for (const auto& [bytes, buffer] : simulation.abstract())
      classes[class_of(buffer, layout)].emplace(bytes, Known{buffer, simulation.exact()});
  }
  size_t left = 40;  // pairs
  for (const auto& [bytes, members] : classes)
    for (const auto& [wide_bytes, wide] : members)
      for (const auto& [narrow_bytes, narrow] : members) {
        const bool subsumes = wide.buffer.subsumes(narrow.buffer, layout);
        if (wide_bytes == narrow_bytes) {
          ASSERT_TRUE(subsumes) << "a buffer that does not subsume itself";
        } else if (subsumes) {
          ASSERT_TRUE(represents(contents_of<D>(wide.buffer, layout), narrow.exact, layout));
          ASSERT_FALSE(narrow.buffer.subsumes(wide.buffer, layout)) << "each subsumes the other";
          if (left == 0 || left-- == 0) continue;
          ASSERT_TRUE(simulates(wide.buffer, narrow.buffer, layout, 3));
          ++subsumed;
        }
      }
}

TYPED_TEST(RandomBuffer, WhatSubsumesAllowsMore) {
  Rng rng(9);
  size_t subsumed = 0;
  for (const char* name : kNames)
    for (const BufferLayout& layout : layouts(name, 0, 1)) {
      check_order<TypeParam>(layout, rng, subsumed);
      if (this->HasFatalFailure()) FAIL() << name << (layout.per_cell ? " pso" : " tso");
    }
  EXPECT_GT(subsumed, 20U);
}

// ---- Finitely many

// Stores, barriers and flushes in all orders, without end: there are only so many abstract buffers, and so
// only so many epochs.
TYPED_TEST(RandomBuffer, ThereAreFinitelyMany) {
  using Buffer = PartialBuffer<TypeParam>;
  for (const char* name : {"set", "fd0", "fd1", "pd0", "pd1"}) {
    const BufferLayout layout = layout_for(true, name, true, 0, 1);
    std::set<std::string> seen;
    std::vector<Buffer> todo = {Buffer()};
    const auto reach = [&](const Buffer& buffer) {
      for (const auto& tail : buffer.tails()) ASSERT_LT(tail.newest_epoch, buffer.head().size() + 2 * kCells);
      if (seen.insert(packed(buffer, layout)).second) todo.push_back(buffer);
    };
    while (!todo.empty() && seen.size() < 100'000 && !this->HasFatalFailure()) {
      const Buffer buffer = todo.back();
      todo.pop_back();
      for (uint32_t cell = 0; cell < kCells; ++cell)
        for (const Value value : {0, 1}) {
          Buffer next = buffer;
          next.append(cell, value, 1, layout);
          reach(next);
        }
      Buffer behind = buffer;
      behind.barrier();
      reach(behind);
      for (const FlushChoice& choice : choices(buffer, layout)) {
        Buffer next = buffer;
        next.flush(choice, layout);
        reach(next);
      }
    }
    EXPECT_TRUE(todo.empty()) << name << ": more than " << seen.size();
    EXPECT_GT(seen.size(), 20U) << name;
  }
}

}  // namespace
}  // namespace fenceline::buffer
