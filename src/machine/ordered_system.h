// SPDX-License-Identifier: GPL-3.0-or-later
//
// A transition system whose states represent many: an abstract one (abstract_system.h) or a symbolic one
// (symbolic_system.h). Its steps simulate those of the exact machine; what a search needs beyond that is an
// order between states.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "machine/transition_system.h"

namespace fenceline::machine {

// What a state says besides its buffers.
struct Snapshot {
  std::vector<uint32_t> locations;                           // by thread
  std::vector<Value> memory;                                 // by cell
  std::vector<std::vector<std::optional<Value>>> registers;  // by thread; none: abstracted away
};

class OrderedSystem : public TransitionSystem {
 public:
  // One state subsumes another if it represents every exact state that the other one represents. Every
  // error that can be reached from the other can be reached from it, too, in as many steps.
  //
  // Takes a state as the candidate for what follows, and returns a hash of its subsumption class: what two
  // states have in common if one subsumes the other. States of different classes need not be compared.
  virtual uint64_t take_candidate(PackedState state) = 0;

  enum class Order : uint8_t { kUnrelated, kSubsumesCandidate, kCandidateSubsumes };
  virtual Order compare_with_candidate(PackedState state) = 0;
};

}  // namespace fenceline::machine
