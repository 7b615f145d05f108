// SPDX-License-Identifier: GPL-3.0-or-later
//
// One instance of the machine per abstraction of values; everything else about abstract buffers is decided at
// run time by BufferLayout::abstraction.
#include "machine/store_buffer/abstract_system.h"

#include <type_traits>

#include "domain/buffer/partial_buffer.h"
#include "machine/store_buffer/ordered_machine_system.h"
#include "machine/store_buffer/system.h"

namespace fenceline::machine {
namespace {

static_assert(buffer::StoreBuffer<buffer::PartialBuffer<buffer::ExactValues>>);
static_assert(buffer::StoreBuffer<buffer::PartialBuffer<buffer::LabelledValues>>);
static_assert(buffer::StoreBuffer<buffer::PartialBuffer<buffer::IntervalValues>>);
static_assert(buffer::StoreBuffer<buffer::PartialBuffer<buffer::ParityValues>>);

template <buffer::BufferValues D>
class PartialSystem final : public OrderedMachineSystem<buffer::PartialBuffer<D>, AbstractSystem> {
  using Buffer = buffer::PartialBuffer<D>;
  using Base = OrderedMachineSystem<Buffer, AbstractSystem>;
  using typename Base::State;

 public:
  using Base::Base;

  uint64_t take_candidate(PackedState packed) override {
    const uint64_t subsumption_class = Base::take_candidate(packed);
    for (const Buffer& buffer : this->candidate().buffers)
      order_was_lost_ = order_was_lost_ || !buffer.tails().empty();
    return subsumption_class;
  }

  bool order_was_lost() const override { return order_was_lost_; }

  AbstractSnapshot describe(PackedState packed) override {
    const State& state = this->unpack(packed);
    AbstractSnapshot result{this->snapshot(state), {}};
    for (size_t t = 0; t < state.buffers.size(); ++t)
      result.buffers.push_back(state.buffers[t].contents(this->machine().layout().buffers[t]));
    return result;
  }

  std::vector<Point> pending_stores(PackedState packed, ThreadId thread) override {
    std::vector<Point> points;
    if constexpr (std::is_same_v<D, buffer::LabelledValues>) {
      const Buffer& buffer = this->unpack(packed).buffers[thread.index()];
      for (const auto& entry : buffer.head()) points.emplace_back(entry.value.origin);
      for (const auto& tail : buffer.tails())
        for (const auto& element : tail.values) points.emplace_back(element.origin);
    } else {
      throw Bug("these buffers do not record which instruction stored");
    }
    std::sort(points.begin(), points.end());
    points.erase(std::unique(points.begin(), points.end()), points.end());
    return points;
  }

 private:
  bool order_was_lost_ = false;
};

}  // namespace

std::unique_ptr<AbstractSystem> System::abstract_worker() const {
  require(options_.abstraction.has_value(), "an abstract machine of an exact system");
  if (options_.origins) {
    require(options_.abstraction->values == buffer::Abstraction::Values::kExact,
            "origins go with exact values only");
    return std::make_unique<PartialSystem<buffer::LabelledValues>>(code_, layout_, reduction_);
  }
  switch (options_.abstraction->values) {
    case buffer::Abstraction::Values::kExact:
      return std::make_unique<PartialSystem<buffer::ExactValues>>(code_, layout_, reduction_);
    case buffer::Abstraction::Values::kIntervals:
      return std::make_unique<PartialSystem<buffer::IntervalValues>>(code_, layout_, reduction_);
    case buffer::Abstraction::Values::kParity:
      return std::make_unique<PartialSystem<buffer::ParityValues>>(code_, layout_, reduction_);
  }
  throw Bug("an abstraction of values without a machine");
}

}  // namespace fenceline::machine
