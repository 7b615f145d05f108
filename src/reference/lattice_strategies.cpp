// SPDX-License-Identifier: GPL-3.0-or-later
#include "reference/lattice_strategies.h"

#include <iterator>
#include <set>
#include <utility>
#include <vector>

#include "env/errors.h"
#include "synth/lattice_walk.h"

namespace fenceline {
namespace {

class WorklistWalk final : public LatticeWalk {
 public:
  WorklistWalk(const PropagationTask& task, bool highest_first)
      : LatticeWalk(task), highest_first_(highest_first) {}

 private:
  void walk() override {
    push(known_.highest(known_.all_fences()));
    for (std::vector<SearchPoint> points = next(); !points.empty() && !stopped_; points = next()) {
      query(points);
      for (const SearchPoint& point : points) expand(point);
    }
  }

  // Up to jobs_ points that nothing known decides; none if all sets are decided.
  std::vector<SearchPoint> next() {
    if (!known_.undecided()) return {};
    std::vector<SearchPoint> points;
    while (!worklist_.empty() && points.size() < jobs_) {
      const auto first = highest_first_ ? std::prev(worklist_.end()) : worklist_.begin();
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
  void expand(const SearchPoint& point) {
    const auto answer = answers_.find(point);
    if (answer == answers_.end()) return;
    if (answer->second == ProofAnswer::kVerified) {  // relax
      for (const size_t position : point.fences.elements())
        push({point.fences.without(position), point.refinements});
      for (const size_t position : point.refinements.elements())
        push({point.fences, point.refinements.without(position)});
    } else {  // restrict
      for (const size_t position : (known_.candidates(point.fences) - point.refinements).elements())
        push({point.fences, point.refinements.with(position)});
    }
  }

  const bool highest_first_;
  std::set<std::pair<size_t, SearchPoint>> worklist_;  // by height in the lattice
};

class DescentWalk final : public LatticeWalk {
 public:
  using LatticeWalk::LatticeWalk;

 private:
  void walk() override {
    FenceMask fences = known_.all_fences();
    if (!verified(known_.highest(fences))) return;
    const std::vector<size_t> positions = fences.elements();
    for (auto position = positions.rbegin(); position != positions.rend() && !stopped_; ++position)
      if (const FenceMask fewer = fences.without(*position); verified(known_.highest(fewer))) fences = fewer;
  }
};

}  // namespace

std::unique_ptr<LatticeWalk> bfs_strategy(const PropagationTask& task) {
  return std::make_unique<WorklistWalk>(task, true);
}
std::unique_ptr<LatticeWalk> dfs_strategy(const PropagationTask& task) {
  return std::make_unique<WorklistWalk>(task, false);
}
std::unique_ptr<LatticeWalk> descent_strategy(const PropagationTask& task) {
  return std::make_unique<DescentWalk>(task);
}

std::string_view name_of(Strategy strategy) {
  if (strategy == propagation_strategy) return "prop";
  if (strategy == bfs_strategy) return "bfs";
  if (strategy == dfs_strategy) return "dfs";
  require(strategy == descent_strategy, "a strategy without a name");
  return "descent";
}

}  // namespace fenceline
