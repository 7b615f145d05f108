// SPDX-License-Identifier: GPL-3.0-or-later
//
// A search for all minimal sets of fences when a proof may need something else as well: positions at which
// the verifier has to record more ("refinements"). It is independent of programs; propagation.cpp has the
// algorithm, and lattice_inference.h uses it for `fenceline infer`.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <vector>

#include "base/bit_set.h"
#include "env/limits.h"

namespace fenceline::synth {

using FenceMask = BitSet;
using RefinementMask = BitSet;

// A program with these fences, to be verified with these refinements.
struct SearchPoint {
  FenceMask fences;
  RefinementMask refinements;
  friend auto operator<=>(const SearchPoint&, const SearchPoint&) = default;
  friend bool operator==(const SearchPoint&, const SearchPoint&) = default;
};

enum class ProofAnswer : uint8_t {
  kVerified,
  kNotVerified,
  kOutOfLimits,  // counts as not verified, but the result is then not complete
};

using Verifier = std::function<ProofAnswer(const SearchPoint&)>;

class LatticeWalk;  // lattice_walk.h
struct PropagationTask;

// Which point is next. The task must outlive the walk.
using Strategy = std::unique_ptr<LatticeWalk> (*)(const PropagationTask& task);

// What was learned from some points says which one is next. Finds all minimal sets.
std::unique_ptr<LatticeWalk> propagation_strategy(const PropagationTask& task);

struct PropagationTask {
  size_t fence_positions = 0;
  // The refinements that can be of use with these fences: the fewer fences, the more. None: there are none.
  std::function<RefinementMask(const FenceMask&)> candidates;
  Verifier verify;
  // Up to `jobs` points at once, an answer for each. None: one after the other.
  std::function<std::vector<ProofAnswer>(const std::vector<SearchPoint>&)> verify_together;
  Strategy strategy = propagation_strategy;
  unsigned jobs = 1;  // 0 is 1
  Limits* limits = nullptr;
};

struct SearchEvent {
  double seconds = 0;  // since the start, when the call ended
  size_t fences = 0, refinements = 0;
  uint64_t calls = 0;  // so far
  bool verified = false;
};

struct PropagationResult {
  // The minimal ones among the sets of fences that were verified, by size; each with the fewest refinements
  // with which it was. Every one of these points was itself verified by a call.
  std::vector<SearchPoint> minimal;
  // Every set of fences has one of them as a subset, or is a subset of one that was not verified with all its
  // refinements: if the verifier is monotone, there are no other minimal sets.
  bool complete = false;
  // The largest sets of fences that were not verified with all their refinements.
  std::vector<FenceMask> falsified;
  uint64_t calls = 0;
  uint64_t implied = 0;  // points that the search came to and that needed no call
  std::vector<SearchEvent> trace;
};

PropagationResult search_by_propagation(const PropagationTask& task);

}  // namespace fenceline::synth
