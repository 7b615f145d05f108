// SPDX-License-Identifier: GPL-3.0-or-later
#include "synth/lattice_walk.h"

#include <algorithm>
#include <utility>

namespace fenceline::synth {

LatticeWalk::LatticeWalk(const PropagationTask& task)
    : jobs_(std::max(task.jobs, 1u)), known_(task.fence_positions, task.candidates), task_(task) {}

PropagationResult LatticeWalk::run() {
  walk();
  result_.complete = !stopped_ && !doubtful_ && !known_.undecided();
  for (const SearchPoint& point : known_.minimal()) drop_refinements(point);
  result_.minimal = known_.minimal();
  result_.falsified = known_.highest_falsified();
  return std::move(result_);
}

void LatticeWalk::query(const std::vector<SearchPoint>& points) {
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

void LatticeWalk::learn(const SearchPoint& point, ProofAnswer answer) {
  answers_.emplace(point, answer);
  const bool verified = answer == ProofAnswer::kVerified;
  if (answer == ProofAnswer::kOutOfLimits) doubtful_ = true;
  if (verified)
    known_.verified(point);
  else
    known_.falsified(point);
  const double seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - start_).count();
  result_.trace.push_back(
      {seconds, point.fences.size(), point.refinements.size(), ++result_.calls, verified});
}

bool LatticeWalk::verified(const SearchPoint& point) {
  query({point});
  const auto found = answers_.find(point);
  return found != answers_.end() && found->second == ProofAnswer::kVerified;
}

bool LatticeWalk::limit_reached() {
  if (task_.limits != nullptr && task_.limits->poll() != LimitReached::kNone) stopped_ = true;
  return stopped_;
}

void LatticeWalk::drop_refinements(const SearchPoint& point) {
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

}  // namespace fenceline::synth
