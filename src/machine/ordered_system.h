// SPDX-License-Identifier: GPL-3.0-or-later
//
// A transition system whose states stand for many: an abstract one (abstract_system.h) or a symbolic one
// (symbolic_system.h). Its steps cover those of the exact machine; what a search needs beyond that is an
// order between states.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "machine/transition_system.h"

namespace fenceline {

// What a state says besides its buffers.
struct Snapshot {
  std::vector<uint32_t> where;                               // by thread
  std::vector<Value> memory;                                 // by cell
  std::vector<std::vector<std::optional<Value>>> registers;  // by thread; none: forgotten
};

class OrderedSystem : public TransitionSystem {
 public:
  // One state covers another if it stands for every exact state that the other one stands for. Whatever can
  // go wrong from the other goes wrong from it, too, in as many steps.
  //
  // Takes a state as the candidate for what follows, and returns a hash of its family: what two states have
  // in common if one covers the other. States of different families need not be compared.
  virtual uint64_t take_candidate(PackedState state) = 0;

  enum class Order : uint8_t { kUnrelated, kCoversCandidate, kCandidateCovers };
  virtual Order compare_with_candidate(PackedState state) = 0;
};

}  // namespace fenceline
