// SPDX-License-Identifier: GPL-3.0-or-later
//
// One instance of the machine per abstraction of values; everything else about abstract buffers is decided at
// run time by BufferLayout::abstraction.
#include "semantics/abstract_system.h"

#include <type_traits>

#include "base/hash.h"
#include "domain/buffer/partial_buffer.h"
#include "semantics/machine_system.h"
#include "semantics/system.h"

namespace fenceline {
namespace {

static_assert(StoreBuffer<PartialBuffer<ExactValues>>);
static_assert(StoreBuffer<PartialBuffer<LabelledValues>>);
static_assert(StoreBuffer<PartialBuffer<IntervalValues>>);
static_assert(StoreBuffer<PartialBuffer<ParityValues>>);

template <BufferValues D>
class PartialSystem final : public MachineSystem<PartialBuffer<D>, AbstractSystem> {
  using Buffer = PartialBuffer<D>;
  using Base = MachineSystem<Buffer, AbstractSystem>;
  using State = MachineState<Buffer>;

 public:
  PartialSystem(const Code& code, const StateLayout& layout, const Reduction& reduction)
      : Base(code, layout, reduction, 0), candidate_(this->machine().initial()), other_(candidate_) {}

  uint64_t take_candidate(PackedState packed) override {
    this->machine().unpack(packed, candidate_, unpacked_);
    for (const Buffer& buffer : candidate_.buffers)
      order_was_lost_ = order_was_lost_ || !buffer.rests().empty();
    const PackedState family = family_of(candidate_, packed);
    candidate_family_.assign(family.begin(), family.end());
    return hash_bytes(family.data(), family.size());
  }

  using Order = OrderedSystem::Order;
  Order compare_with_candidate(PackedState packed) override {
    this->machine().unpack(packed, other_, unpacked_);
    if (!std::ranges::equal(family_of(other_, packed), candidate_family_)) return Order::kUnrelated;
    if (covers(other_, candidate_)) return Order::kCoversCandidate;
    return covers(candidate_, other_) ? Order::kCandidateCovers : Order::kUnrelated;
  }

  bool order_was_lost() const override { return order_was_lost_; }

  AbstractSnapshot describe(PackedState packed) override {
    const Code& code = this->machine().code();
    const StateLayout& layout = this->machine().layout();
    this->machine().unpack(packed, other_, unpacked_);
    AbstractSnapshot snapshot{other_.where, other_.memory, {}, {}};
    for (size_t t = 0; t < other_.where.size(); ++t) {
      snapshot.registers.emplace_back(code.first_register(t + 1) - code.first_register(t));
      for (const FieldLayout& field : layout.registers[t][other_.where[t]])
        snapshot.registers[t][field.index - code.first_register(t)] = other_.registers[field.index];
      snapshot.buffers.push_back(other_.buffers[t].contents(layout.buffers[t]));
    }
    return snapshot;
  }

  std::vector<Point> waiting_stores(PackedState packed, ThreadId thread) override {
    std::vector<Point> points;
    if constexpr (std::is_same_v<D, LabelledValues>) {
      this->machine().unpack(packed, other_, unpacked_);
      const Buffer& buffer = other_.buffers[thread.index()];
      for (const auto& entry : buffer.head()) points.emplace_back(entry.value.origin);
      for (const auto& rest : buffer.rests())
        for (const auto& element : rest.values) points.emplace_back(element.origin);
    } else {
      throw Bug("these buffers do not remember who stored");
    }
    std::sort(points.begin(), points.end());
    points.erase(std::unique(points.begin(), points.end()), points.end());
    return points;
  }

 private:
  PackedState family_of(const State& state, PackedState packed) {
    const StateLayout& layout = this->machine().layout();
    writer_.reset();
    writer_.copy(packed.data(), 0, layout.head_bits);
    for (size_t t = 0; t < state.where.size(); ++t) {
      for (const FieldLayout& field : layout.registers[t][state.where[t]])
        writer_.put(field.encode(state.registers[field.index]), field.bits);
      if (this->machine().code().buffering() != Buffering::kNone)
        state.buffers[t].pack_family(writer_, layout.buffers[t]);
    }
    return writer_.finish();
  }

  // Precondition: they are of one family.
  bool covers(const State& wide, const State& narrow) const {
    const std::vector<BufferLayout>& layouts = this->machine().layout().buffers;
    for (size_t t = 0; t < layouts.size(); ++t)
      if (!wide.buffers[t].covers(narrow.buffers[t], layouts[t])) return false;
    return true;
  }

  State candidate_;
  std::vector<uint8_t> candidate_family_;
  State other_;  // scratch
  bool order_was_lost_ = false;
  typename Machine<Buffer>::Unpacked unpacked_;
  BitWriter writer_;
};

}  // namespace

std::unique_ptr<AbstractSystem> System::abstract_worker() const {
  require(options_.abstraction.has_value(), "an abstract machine was asked of an exact system");
  if (options_.origins) {
    require(options_.abstraction->values == Abstraction::Values::kExact, "origins go with exact values only");
    return std::make_unique<PartialSystem<LabelledValues>>(code_, layout_, reduction_);
  }
  switch (options_.abstraction->values) {
    case Abstraction::Values::kExact:
      return std::make_unique<PartialSystem<ExactValues>>(code_, layout_, reduction_);
    case Abstraction::Values::kIntervals:
      return std::make_unique<PartialSystem<IntervalValues>>(code_, layout_, reduction_);
    case Abstraction::Values::kParity:
      return std::make_unique<PartialSystem<ParityValues>>(code_, layout_, reduction_);
  }
  throw Bug("an abstraction of values without a machine");
}

}  // namespace fenceline
