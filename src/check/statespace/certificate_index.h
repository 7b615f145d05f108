// SPDX-License-Identifier: GPL-3.0-or-later
//
// Finds the state of a certificate that subsumes a given one. Subsumption requires the same locations, the same
// memory, what the algebra of buffers can hash, and the same values of those registers that the subsuming
// state has: all that can be hashed. Which registers are known differs from state to state, but mostly
// depends on the locations of the threads, so the few patterns that occur at the same locations are tried one after
// the other. What is left in a bucket is compared in full.
#pragma once

#include <unordered_map>
#include <vector>

#include "check/statespace/buffer_algebra.h"
#include "task/certificate.h"

namespace fenceline::check {

template <BufferAlgebra Buffers>
class CertificateIndex {
 public:
  using State = CertificateState<typename Buffers::Contents>;

  // Keeps references. The states must be well-formed.
  CertificateIndex(Buffers& buffers, const std::vector<State>& states);

  bool subsumed(const State& state) const;
  uint64_t bytes() const;  // about

 private:
  using Pattern = std::vector<bool>;  // which registers are known, all threads in a row

  uint64_t hash_without_registers(const State& state, uint64_t locations) const;
  bool subsumes(const State& general, const State& special) const;

  Buffers& buffers_;
  const std::vector<State>& states_;
  std::unordered_map<uint64_t, std::vector<Pattern>> patterns_;     // by hash of the locations
  std::unordered_map<uint64_t, std::vector<uint32_t>> candidates_;  // by hash of all, indices of states_
};

}  // namespace fenceline::check
