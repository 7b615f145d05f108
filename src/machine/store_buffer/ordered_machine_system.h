// SPDX-License-Identifier: GPL-3.0-or-later
//
// The machine on buffers that represent many: what makes its states an ordered system. Two states are of one
// subsumption class if locations, memory and registers are the same and the buffers may subsume each other; one
// subsumes the other if its buffers do, thread by thread.
#pragma once

#include <algorithm>
#include <cstdint>
#include <vector>

#include "base/hash.h"
#include "machine/ordered_system.h"
#include "machine/store_buffer/machine_system.h"

namespace fenceline::machine {

// `Interface` is derived from OrderedSystem. Besides what the machine needs, the buffer has
// pack_subsumption_class() and subsumes().
template <buffer::StoreBuffer Buffer, class Interface>
class OrderedMachineSystem : public MachineSystem<Buffer, Interface> {
  using Base = MachineSystem<Buffer, Interface>;

 public:
  using typename Base::State;
  using Order = OrderedSystem::Order;

  OrderedMachineSystem(const Code& code, const StateLayout& layout, const Reduction& reduction)
      : Base(code, layout, reduction, 0), candidate_(this->machine().initial()), other_(candidate_) {}

  uint64_t take_candidate(PackedState packed) override {
    this->machine().unpack(packed, candidate_, unpacked_);
    const PackedState subsumption_class = class_of(candidate_, packed);
    candidate_class_.assign(subsumption_class.begin(), subsumption_class.end());
    return hash_bytes(subsumption_class.data(), subsumption_class.size());
  }

  Order compare_with_candidate(PackedState packed) override {
    const State& other = unpack(packed);
    if (!std::ranges::equal(class_of(other, packed), candidate_class_)) return Order::kUnrelated;
    if (subsumes(other, candidate_)) return Order::kSubsumesCandidate;
    return subsumes(candidate_, other) ? Order::kCandidateSubsumes : Order::kUnrelated;
  }

 protected:
  const State& candidate() const { return candidate_; }

  // Valid until the next state is unpacked or compared. May be changed.
  State& unpack(PackedState packed) {
    this->machine().unpack(packed, other_, unpacked_);
    return other_;
  }

  // Everything but the buffers.
  Snapshot snapshot(const State& state) const {
    const Code& code = this->machine().code();
    Snapshot result{state.locations, state.memory, {}};
    for (size_t t = 0; t < state.locations.size(); ++t) {
      result.registers.emplace_back(code.first_register(t + 1) - code.first_register(t));
      for (const buffer::FieldLayout& field : this->machine().layout().registers[t][state.locations[t]])
        result.registers[t][field.index - code.first_register(t)] = state.registers[field.index];
    }
    return result;
  }

  // Valid until the next call.
  PackedState class_of(const State& state, PackedState packed) {
    const StateLayout& layout = this->machine().layout();
    writer_.reset();
    writer_.copy(packed.data(), 0, layout.head_bits);
    for (size_t t = 0; t < state.locations.size(); ++t) {
      for (const buffer::FieldLayout& field : layout.registers[t][state.locations[t]])
        writer_.put(field.encode(state.registers[field.index]), field.bits);
      if (this->machine().code().buffering() != Buffering::kUnbuffered)
        state.buffers[t].pack_subsumption_class(writer_, layout.buffers[t]);
    }
    return writer_.finish();
  }

 private:
  // Precondition: they are of one subsumption class.
  bool subsumes(const State& wide, const State& narrow) const {
    const std::vector<buffer::BufferLayout>& layouts = this->machine().layout().buffers;
    for (size_t t = 0; t < layouts.size(); ++t)
      if (!wide.buffers[t].subsumes(narrow.buffers[t], layouts[t])) return false;
    return true;
  }

  State candidate_;
  std::vector<uint8_t> candidate_class_;
  State other_;  // scratch
  typename Machine<Buffer>::Unpacked unpacked_;
  BitWriter writer_;
};

}  // namespace fenceline::machine
