// SPDX-License-Identifier: GPL-3.0-or-later
#include "reference/lattice_strategies.h"

#include <iterator>
#include <set>
#include <utility>
#include <vector>

#include "env/errors.h"
#include "synth/lattice_walk.h"

namespace fenceline::reference {
namespace {

class WorklistWalk final : public synth::LatticeWalk {
 public:
  WorklistWalk(const synth::PropagationTask& task, bool highest_first)
      : synth::LatticeWalk(task), highest_first_(highest_first) {}

 private:
  void walk() override {
    push(known_.highest(known_.all_fences()));
    for (std::vector<synth::SearchPoint> points = next(); !points.empty() && !stopped_; points = next()) {
      query(points);
      for (const synth::SearchPoint& point : points) expand(point);
    }
  }

  // Up to jobs_ points that nothing known decides; none if all sets are decided.
  std::vector<synth::SearchPoint> next() {
    if (!known_.undecided()) return {};
    std::vector<synth::SearchPoint> points;
    while (!worklist_.empty() && points.size() < jobs_) {
      const auto first = highest_first_ ? std::prev(worklist_.end()) : worklist_.begin();
      const synth::SearchPoint point = first->second;
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

  void push(const synth::SearchPoint& point) {
    if (!answers_.contains(point)) worklist_.emplace(point.fences.size() + point.refinements.size(), point);
  }

  // What an answer leads to.
  void expand(const synth::SearchPoint& point) {
    const auto answer = answers_.find(point);
    if (answer == answers_.end()) return;
    if (answer->second == synth::ProofAnswer::kVerified) {  // relax
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
  std::set<std::pair<size_t, synth::SearchPoint>> worklist_;  // by height in the lattice
};

class DescentWalk final : public synth::LatticeWalk {
 public:
  using synth::LatticeWalk::LatticeWalk;

 private:
  void walk() override {
    synth::FenceMask fences = known_.all_fences();
    if (!verified(known_.highest(fences))) return;
    const std::vector<size_t> positions = fences.elements();
    for (auto position = positions.rbegin(); position != positions.rend() && !stopped_; ++position)
      if (const synth::FenceMask fewer = fences.without(*position); verified(known_.highest(fewer)))
        fences = fewer;
  }
};

}  // namespace

std::unique_ptr<synth::LatticeWalk> bfs_strategy(const synth::PropagationTask& task) {
  return std::make_unique<WorklistWalk>(task, true);
}
std::unique_ptr<synth::LatticeWalk> dfs_strategy(const synth::PropagationTask& task) {
  return std::make_unique<WorklistWalk>(task, false);
}
std::unique_ptr<synth::LatticeWalk> descent_strategy(const synth::PropagationTask& task) {
  return std::make_unique<DescentWalk>(task);
}

std::string_view name_of(synth::Strategy strategy) {
  if (strategy == synth::propagation_strategy) return "prop";
  if (strategy == bfs_strategy) return "bfs";
  if (strategy == dfs_strategy) return "dfs";
  require(strategy == descent_strategy, "a strategy without a name");
  return "descent";
}

}  // namespace fenceline::reference
