// SPDX-License-Identifier: GPL-3.0-or-later
//
// One instance of the machine per abstraction of values; everything else about abstract buffers is decided at
// run time by BufferLayout::abstraction.
#include "semantics/abstract_system.h"

#include <type_traits>

#include "domain/buffer/partial_buffer.h"
#include "semantics/machine_system.h"
#include "semantics/system.h"

namespace fenceline {
namespace {

static_assert(StoreBuffer<PartialBuffer<ExactValues>>);
static_assert(StoreBuffer<PartialBuffer<LabelledValues>>);
static_assert(StoreBuffer<PartialBuffer<IntervalValues>>);
static_assert(StoreBuffer<PartialBuffer<ParityValues>>);

uint64_t hash_of(PackedState bytes) {
  uint64_t hash = 0xcbf29ce484222325ULL ^ bytes.size();
  for (const uint8_t byte : bytes) hash = (hash ^ byte) * 0x100000001b3ULL;
  return hash ^ (hash >> 29);
}

template <BufferValues D>
class PartialSystem final : public MachineSystem<PartialBuffer<D>, AbstractSystem> {
  using Buffer = PartialBuffer<D>;
  using Base = MachineSystem<Buffer, AbstractSystem>;
  using State = MachineState<Buffer>;

 public:
  PartialSystem(const Code& code, const StateLayout& layout, const Reduction& reduction)
      : Base(code, layout, reduction, 0), wide_(this->machine().initial()), narrow_(wide_) {}

  uint64_t family(PackedState packed) override {
    const StateLayout& layout = this->machine().layout();
    this->machine().unpack(packed, wide_, unpacked_);
    writer_.reset();
    writer_.copy(packed.data(), 0, layout.head_bits);
    for (size_t t = 0; t < wide_.where.size(); ++t) {
      for (const FieldLayout& field : layout.registers[t][wide_.where[t]])
        writer_.put(field.encode(wide_.registers[field.index]), field.bits);
      if (this->machine().code().buffering() != Buffering::kNone)
        wide_.buffers[t].pack_family(writer_, layout.buffers[t]);
    }
    return hash_of(writer_.finish());
  }

  bool covers(PackedState wide, PackedState narrow) override {
    const StateLayout& layout = this->machine().layout();
    this->machine().unpack(wide, wide_, unpacked_);
    this->machine().unpack(narrow, narrow_, unpacked_);
    if (wide_.where != narrow_.where || wide_.memory != narrow_.memory) return false;
    for (size_t t = 0; t < wide_.where.size(); ++t) {
      for (const FieldLayout& field : layout.registers[t][wide_.where[t]])
        if (wide_.registers[field.index] != narrow_.registers[field.index]) return false;
      // Families are told apart by a hash only: look again.
      const BufferLayout& buffer = layout.buffers[t];
      if (!same_family(wide_.buffers[t], narrow_.buffers[t], buffer)) return false;
      if (!wide_.buffers[t].covers(narrow_.buffers[t], buffer)) return false;
    }
    return true;
  }

  AbstractSnapshot describe(PackedState packed) override {
    const Code& code = this->machine().code();
    const StateLayout& layout = this->machine().layout();
    this->machine().unpack(packed, wide_, unpacked_);
    AbstractSnapshot snapshot{wide_.where, wide_.memory, {}, {}};
    for (size_t t = 0; t < wide_.where.size(); ++t) {
      snapshot.registers.emplace_back(code.first_register(t + 1) - code.first_register(t));
      for (const FieldLayout& field : layout.registers[t][wide_.where[t]])
        snapshot.registers[t][field.index - code.first_register(t)] = wide_.registers[field.index];
      snapshot.buffers.push_back(wide_.buffers[t].contents(layout.buffers[t]));
    }
    return snapshot;
  }

  std::vector<Point> waiting_stores(PackedState packed, ThreadId thread) override {
    std::vector<Point> points;
    if constexpr (std::is_same_v<D, LabelledValues>) {
      this->machine().unpack(packed, wide_, unpacked_);
      const Buffer& buffer = wide_.buffers[thread.index()];
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
  bool same_family(const Buffer& a, const Buffer& b, const BufferLayout& layout) {
    writer_.reset();
    a.pack_family(writer_, layout);
    const PackedState first = writer_.finish();
    first_family_.assign(first.begin(), first.end());
    writer_.reset();
    b.pack_family(writer_, layout);
    return std::ranges::equal(writer_.finish(), first_family_);
  }

  State wide_, narrow_;  // scratch
  typename Machine<Buffer>::Unpacked unpacked_;
  BitWriter writer_;
  std::vector<uint8_t> first_family_;
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
