// SPDX-License-Identifier: GPL-3.0-or-later
//
// Search with propagation: Algorithm 1 of Meshman, Dan, Vechev and Yahav, "Synthesis of Memory Fences via
// Refinement Propagation" (2014), section 3.
//
// A point of the lattice is a set of fences and a set of refinements. A verified point implies all points
// above it, with more of either; one that is not verified excludes all points below (known_points.cpp). The
// search starts at the top, all fences and all refinements that are of use, and after each call continues
//
//   - relax: from a verified point, to those with one fence or one refinement less;
//   - restrict: from one that is not verified, to those with one refinement more (paper: and perhaps more
//     fences; those points are reached by relaxing);
//
// until every set of fences is decided: above a verified one, or below one that was not verified with all its
// refinements. Then the minimal sets are known, all of them. What is left to do is to take away refinements
// that they do not need, which is done in chunks, halves first.
//
// Strategies differ in which point is next (reference/lattice_strategies.h has those that it is compared with).
// This one chooses points with as few calls as it can:
//
//   1. All fences; then, if there are few positions, all but one, for each. What fails is a fence that every set
//      has. improveF: next is the intersection of the sets that were verified. If there is one minimal set,
//      that is it, and the search ends after n + 2 calls.
//   2. A verified set that may not be minimal. Fences are taken away in chunks: first all that are not known
//      to be needed, then halves of what is left, then quarters, and at last each alone. This ends with a
//      minimal set.
//   3. A largest set that is undecided. If it is not verified, no larger set fails, and it rules out all that
//      are below; if it is, see 2.
//   -  improveR: a set of fences is first tried with the refinements that did for the sets above it, all of
//      them together, and with all that are of use only if that fails. To have small ones to hand on,
//      refinements are taken away where all were used.
//
// Nothing less than a call for each minimal and for each highest falsified set would do. Here a falsified one
// takes one call, and a minimal one of k out of n fences about k log (n / k). The paper intersects two
// verified sets at a time. Going up from the intersection, or from a smallest undecided set, one fence at a
// time, was tried and dropped: with 12 positions and up to 4 random minimal sets it takes 49 calls, this 31.
//
// A proof by abstract interpretation is not always monotone: more fences may fail where fewer do not. Then
// the search may miss sets and may end with some that are not minimal, but each set it returns was verified
// itself. It terminates in any case, as no point is verified twice.
//
// With several jobs, the next points are taken a few at a time, all verified, and only then evaluated.
#include "synth/propagation.h"

#include <algorithm>
#include <optional>
#include <utility>

#include "synth/lattice_walk.h"

namespace fenceline::synth {
namespace {

constexpr size_t kFewPositions = 12;  // up to so many, each is tried alone

class Propagation final : public LatticeWalk {
 public:
  using LatticeWalk::LatticeWalk;

 private:
  void walk() override {
    for (std::vector<SearchPoint> points = next(); !points.empty() && !stopped_; points = next()) {
      query(points);
      for (const SearchPoint& point : points) expand(point);
    }
  }

  // Where all refinements were used, fewer may do.
  void expand(const SearchPoint& point) {
    const auto answer = answers_.find(point);
    if (answer == answers_.end() || answer->second != ProofAnswer::kVerified) return;
    if (point.refinements == known_.candidates(point.fences)) drop_refinements(point);
  }

  // A verified set that is being reduced, and the parts of it that may still be removed.
  struct Descent {
    FenceMask fences;
    size_t chunk = 0;
    std::vector<FenceMask> parts;
  };

  // Up to jobs_ points that nothing known decides; none if all sets are decided.
  std::vector<SearchPoint> next() {
    std::vector<SearchPoint> points;
    const FenceMask& all = known_.all_fences();
    if (all.size() <= kFewPositions && known_.verified_with_some(all)) {
      for (const size_t position : all.elements()) propose(all.without(position), points);
      if (points.empty()) propose(improved_fences(), points);
    }
    while (points.empty() && (descent_ || start_descent())) {
      digest();
      if (!descent_) continue;
      for (const FenceMask& part : descent_->parts) propose(descent_->fences - part, points);
    }
    if (!points.empty()) return points;
    std::vector<FenceMask> taken;
    for (auto set = known_.undecided(); set && points.size() < jobs_; set = known_.undecided(taken)) {
      propose(*set, points);
      taken.push_back(*set);
    }
    return points;
  }

  // Adds a point with these fences, unless they are decided or there are enough points.
  void propose(const FenceMask& fences, std::vector<SearchPoint>& points) {
    if (points.size() >= jobs_ || known_.decided(fences)) return;
    const SearchPoint modest{fences, improved_refinements(fences)};
    points.push_back(known_.implies_falsified(modest) ? known_.highest(fences) : modest);
  }

  // improveF: what all verified sets have in common.
  FenceMask improved_fences() const {
    FenceMask common = known_.all_fences();
    for (const SearchPoint& point : known_.lowest_verified()) common = common & point.fences;
    return common;
  }

  // From a smallest verified set that may not be minimal. Is there one?
  bool start_descent() {
    for (const SearchPoint& point : known_.minimal())
      for (const size_t position : point.fences.elements())
        if (!known_.decided(point.fences.without(position))) {
          descent_ = Descent{point.fences, 0, {}};
          return true;
        }
    return false;
  }

  // What is known by now about the parts: those that can be removed are, and those that cannot are no longer
  // tried. With none left they become smaller.
  void digest() {
    for (auto part = descent_->parts.begin(); part != descent_->parts.end();) {
      const FenceMask fewer = descent_->fences - *part;
      const bool can_go = known_.verified_with_some(fewer);
      if (!can_go && !known_.falsified_with_all(fewer)) {
        ++part;
        continue;
      }
      if (can_go) descent_->fences = fewer;
      part = descent_->parts.erase(part);
    }
    if (descent_->parts.empty()) split();
  }

  void split() {
    std::vector<size_t> rest;  // that may be removed alone
    for (const size_t position : descent_->fences.elements())
      if (!known_.falsified_with_all(descent_->fences.without(position))) rest.push_back(position);
    descent_->chunk = std::min(descent_->chunk == 0 ? rest.size() : (descent_->chunk + 1) / 2, rest.size());
    if (rest.empty()) {
      descent_.reset();
      return;
    }
    for (size_t begin = 0; begin < rest.size(); begin += descent_->chunk) {
      FenceMask& part = descent_->parts.emplace_back();
      for (size_t i = begin; i < std::min(begin + descent_->chunk, rest.size()); ++i) part.add(rest[i]);
    }
  }

  // improveR: what did for sets above this one.
  RefinementMask improved_refinements(const FenceMask& fences) const {
    if (known_.verified_sets().empty()) return known_.candidates(fences);
    RefinementMask together;
    for (const auto& [above, refinements] : known_.verified_sets())
      if (fences.subset_of(above)) together = together | refinements;
    return known_.useful(together, fences);
  }

  std::optional<Descent> descent_;
};

}  // namespace

std::unique_ptr<LatticeWalk> propagation_strategy(const PropagationTask& task) {
  return std::make_unique<Propagation>(task);
}

PropagationResult search_by_propagation(const PropagationTask& task) { return task.strategy(task)->run(); }

}  // namespace fenceline::synth
