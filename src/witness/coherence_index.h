// SPDX-License-Identifier: GPL-3.0-or-later
//
// Finds the state of a certificate that covers a given one. Covering asks for the same places, the same
// memory, the same cells with waiting stores, and the same values of those registers that the covering state
// knows: all that can be hashed. Which registers are known differs from state to state, but mostly depends on
// where the threads stand, so the few patterns that occur at the same places are tried one after the other.
// What is left in a bucket is compared in full.
#pragma once

#include <unordered_map>
#include <vector>

#include "witness/coherence_buffer.h"
#include "witness/coherence_certificate.h"

namespace fenceline {

class CoherenceIndex {
 public:
  // Keeps references. The states must be well-formed.
  CoherenceIndex(const CoherenceBuffer& buffers, const std::vector<AbstractState>& states);

  bool covered(const AbstractState& state) const;
  uint64_t bytes() const;  // about

 private:
  using Pattern = std::vector<bool>;  // which registers are known, all threads in a row

  bool covers(const AbstractState& general, const AbstractState& special) const;

  const CoherenceBuffer& buffers_;
  const std::vector<AbstractState>& states_;
  std::unordered_map<uint64_t, std::vector<Pattern>> patterns_;     // by hash of the places
  std::unordered_map<uint64_t, std::vector<uint32_t>> candidates_;  // by hash of all, indices of states_
};

}  // namespace fenceline
