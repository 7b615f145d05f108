// SPDX-License-Identifier: GPL-3.0-or-later
//
// The results of a search in the lattice of fences and refinements: the points that were verified, so that
// every point above them can be; the points that were not, so that no point below them can be. Both are kept
// as antichains, the lowest verified and the highest falsified points.
#pragma once

#include <functional>
#include <map>
#include <optional>
#include <vector>

#include "synth/propagation.h"

namespace fenceline::synth {

class KnownPoints {
 public:
  using Candidates = std::function<RefinementMask(const FenceMask&)>;  // may be none
  KnownPoints(size_t fence_positions, Candidates candidates);

  const FenceMask& all_fences() const { return all_fences_; }
  // The refinements that can be of use with these fences.
  const RefinementMask& candidates(const FenceMask& fences) const;
  // These refinements, those left out that are of no use with these fences.
  RefinementMask useful(const RefinementMask& refinements, const FenceMask& fences) const;
  SearchPoint highest(const FenceMask& fences) const { return {fences, candidates(fences)}; }

  void verified(const SearchPoint& point);
  void falsified(const SearchPoint& point);

  bool implies_verified(const SearchPoint& point) const;
  bool implies_falsified(const SearchPoint& point) const;
  bool implied(const SearchPoint& point) const { return implies_verified(point) || implies_falsified(point); }

  // Is the set of fences verified with some refinements, or falsified with all of them?
  bool verified_with_some(const FenceMask& fences) const;
  bool falsified_with_all(const FenceMask& fences) const;
  bool decided(const FenceMask& fences) const {
    return verified_with_some(fences) || falsified_with_all(fences);
  }
  // A largest set of fences that is neither decided nor a subset of one of `besides`.
  std::optional<FenceMask> undecided(const std::vector<FenceMask>& besides = {}) const;

  const std::vector<SearchPoint>& lowest_verified() const { return verified_; }
  // Each set of fences that was verified itself, with the fewest refinements with which it was.
  const std::map<FenceMask, RefinementMask>& verified_sets() const { return verified_sets_; }
  const std::vector<FenceMask>& highest_falsified() const { return falsified_with_all_; }
  // The minimal sets of fences among the verified points, each with the fewest refinements; by size.
  std::vector<SearchPoint> minimal() const;

 private:
  bool shrink(FenceMask& set, const FenceMask& kept, size_t room,
              const std::vector<FenceMask>& besides) const;

  const FenceMask all_fences_;
  const Candidates candidates_;
  mutable std::map<FenceMask, RefinementMask> candidates_of_;
  std::vector<SearchPoint> verified_;  // an antichain
  std::map<FenceMask, RefinementMask> verified_sets_;
  std::vector<SearchPoint> falsified_;         // an antichain
  std::vector<FenceMask> falsified_with_all_;  // an antichain
};

}  // namespace fenceline::synth
