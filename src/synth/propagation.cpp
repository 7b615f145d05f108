// SPDX-License-Identifier: GPL-3.0-or-later
//
// Search with propagation: Algorithm 1 of Meshman, Dan, Vechev and Yahav, "Synthesis of Memory Fences via
// Refinement Propagation" (2014), section 3.
//
// A point of the lattice is a set of fences and a set of refinements. A verified point vouches for all points
// above it, with more of either; one that is not verified speaks for all points below (known_points.cpp). The
// search starts at the top, all fences and all refinements that are of use, and after each call goes on
//
//   - relax: from a verified point, to those with one fence or one refinement less;
//   - restrict: from one that is not verified, to those with one refinement more (paper: and perhaps more
//     fences; those points are reached by relaxing);
//
// until every set of fences is decided: above a verified one, or below one that was not verified with all its
// refinements. Then the minimal sets are known, all of them. What is left to do is to take away refinements
// that they do not need, which is done in chunks, halves first.
//
// The strategies differ in which point is next. `bfs` takes the highest, `dfs` the lowest of the points that
// relax and restrict have come up with and that nothing known decides. `prop` makes up points of its own,
// with as few calls as it can:
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
#include <chrono>
#include <functional>
#include <map>
#include <optional>
#include <set>
#include <utility>

#include "synth/known_points.h"

namespace fenceline {
namespace {

using Clock = std::chrono::steady_clock;

constexpr size_t kFewPlaces = 12;  // up to so many, each is tried alone

class Search {
 public:
  explicit Search(const PropagationTask& task)
      : task_(task), jobs_(std::max(task.jobs, 1u)), known_(task.fence_positions, task.candidates) {}

  PropagationResult run() {
    if (task_.strategy == Strategy::kDescent) {
      descend();
    } else {
      push(known_.highest(known_.all_fences()));
      for (std::vector<SearchPoint> points = next(); !points.empty() && !stopped_; points = next()) {
        query(points);
        for (const SearchPoint& point : points) follow(point);
      }
    }
    result_.complete = !stopped_ && !doubtful_ && !known_.undecided();
    for (const SearchPoint& point : known_.minimal()) drop_refinements(point);
    result_.minimal = known_.minimal();
    result_.falsified = known_.highest_falsified();
    return std::move(result_);
  }

 private:
  // ---- Asking

  // Verifies those that were not verified before, and learns from the results.
  void query(const std::vector<SearchPoint>& points) {
    std::vector<SearchPoint> fresh;
    for (const SearchPoint& point : points)
      if (!answers_.contains(point)) fresh.push_back(point);
    if (fresh.empty() || limit_reached()) return;
    if (task_.verify_together && jobs_ > 1) {
      const std::vector<ProofAnswer> answers = task_.verify_together(fresh);
      for (size_t i = 0; i < fresh.size(); ++i) learn(fresh[i], answers[i]);
    } else {
      for (const SearchPoint& point : fresh) learn(point, task_.verify(point));
    }
  }

  void learn(const SearchPoint& point, ProofAnswer answer) {
    answers_.emplace(point, answer);
    const bool verified = answer == ProofAnswer::kVerified;
    if (answer == ProofAnswer::kOutOfLimits) doubtful_ = true;
    if (verified)
      known_.verified(point);
    else
      known_.falsified(point);
    const double seconds = std::chrono::duration<double>(Clock::now() - start_).count();
    result_.trace.push_back(
        {seconds, point.fences.size(), point.refinements.size(), ++result_.calls, verified});
  }

  bool verified(const SearchPoint& point) {
    query({point});
    const auto found = answers_.find(point);
    return found != answers_.end() && found->second == ProofAnswer::kVerified;
  }

  bool limit_reached() {
    if (task_.limits != nullptr && task_.limits->poll() != LimitReached::kNone) stopped_ = true;
    return stopped_;
  }

  // ---- What is next: up to jobs_ points that nothing known decides; none if all sets are decided

  std::vector<SearchPoint> next() {
    if (task_.strategy == Strategy::kProp) return next_by_propagation();
    if (!known_.undecided()) return {};
    std::vector<SearchPoint> points;
    while (!worklist_.empty() && points.size() < jobs_) {
      const auto first = task_.strategy == Strategy::kBfs ? std::prev(worklist_.end()) : worklist_.begin();
      const SearchPoint point = first->second;
      worklist_.erase(first);
      if (answers_.contains(point)) continue;
      if (known_.implied(point))
        ++result_.implied;
      else
        points.push_back(point);
    }
    // Only a verifier that is not monotone leaves something undecided when there is nothing left to relax.
    if (points.empty()) points.push_back(known_.highest(*known_.undecided()));
    return points;
  }

  void push(const SearchPoint& point) {
    if (!answers_.contains(point)) worklist_.emplace(point.fences.size() + point.refinements.size(), point);
  }

  // What an answer leads to.
  void follow(const SearchPoint& point) {
    const auto answer = answers_.find(point);
    if (answer == answers_.end()) return;
    const bool verified = answer->second == ProofAnswer::kVerified;
    if (task_.strategy == Strategy::kProp) {
      if (verified && point.refinements == known_.candidates(point.fences)) drop_refinements(point);
      return;
    }
    if (verified) {  // relax
      for (const size_t position : point.fences.elements())
        push({point.fences.without(position), point.refinements});
      for (const size_t position : point.refinements.elements())
        push({point.fences, point.refinements.without(position)});
    } else {  // restrict
      for (const size_t position : (known_.candidates(point.fences) - point.refinements).elements())
        push({point.fences, point.refinements.with(position)});
    }
  }

  // ---- Propagation

  // A verified set that is on its way down, and the parts of it that may still go.
  struct Descent {
    FenceMask fences;
    size_t chunk = 0;
    std::vector<FenceMask> parts;
  };

  std::vector<SearchPoint> next_by_propagation() {
    std::vector<SearchPoint> points;
    const FenceMask& all = known_.all_fences();
    if (all.size() <= kFewPlaces && known_.verified_with_some(all)) {
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

  // What is known by now about the parts: those that can go do, and those that cannot are no longer tried.
  // With none left they become smaller.
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
    std::vector<size_t> rest;  // that may go alone
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

  // Takes away refinements in chunks, halves first, as long as the fences stay verified.
  void drop_refinements(const SearchPoint& point) {
    RefinementMask left = point.refinements;
    for (size_t chunk = left.size(); chunk > 0 && !stopped_; chunk = std::min(chunk / 2, left.size())) {
      const std::vector<size_t> elements = left.elements();
      for (size_t begin = 0; begin < elements.size(); begin += chunk) {
        SearchPoint fewer{point.fences, left};
        for (size_t i = begin; i < std::min(begin + chunk, elements.size()); ++i)
          fewer.refinements.remove(elements[i]);
        if (known_.implies_falsified(fewer))
          ++result_.implied;
        else if (verified(fewer))
          left = fewer.refinements;
      }
    }
  }

  // ---- Descent

  void descend() {
    FenceMask fences = known_.all_fences();
    if (!verified(known_.highest(fences))) return;
    const std::vector<size_t> positions = fences.elements();
    for (auto position = positions.rbegin(); position != positions.rend() && !stopped_; ++position)
      if (const FenceMask fewer = fences.without(*position); verified(known_.highest(fewer))) fences = fewer;
  }

  const PropagationTask& task_;
  const unsigned jobs_;
  const Clock::time_point start_ = Clock::now();
  KnownPoints known_;
  std::map<SearchPoint, ProofAnswer> answers_;
  std::set<std::pair<size_t, SearchPoint>> worklist_;  // bfs and dfs, by height in the lattice
  std::optional<Descent> descent_;                     // prop
  bool stopped_ = false;                               // by a limit
  bool doubtful_ = false;                              // some call was
  PropagationResult result_;
};

}  // namespace

std::string_view to_string(Strategy strategy) {
  switch (strategy) {
    case Strategy::kProp:
      return "prop";
    case Strategy::kBfs:
      return "bfs";
    case Strategy::kDfs:
      return "dfs";
    case Strategy::kDescent:
      break;
  }
  return "descent";
}

PropagationResult search_by_propagation(const PropagationTask& task) { return Search(task).run(); }

}  // namespace fenceline
