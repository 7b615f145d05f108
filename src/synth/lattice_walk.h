// SPDX-License-Identifier: GPL-3.0-or-later
//
// What all searches of the lattice of fences and refinements (propagation.cpp) have in common: verifying points,
// learning from the results, and dropping refinements in the end. A strategy chooses the points to verify.
#pragma once

#include <chrono>
#include <map>
#include <vector>

#include "synth/known_points.h"
#include "synth/propagation.h"

namespace fenceline::synth {

class LatticeWalk {
 public:
  explicit LatticeWalk(const PropagationTask& task);
  virtual ~LatticeWalk() = default;
  LatticeWalk(const LatticeWalk&) = delete;
  LatticeWalk& operator=(const LatticeWalk&) = delete;

  PropagationResult run();

 protected:
  // Runs until every set of fences is decided, or as far as the strategy goes. Ends soon once stopped_.
  virtual void walk() = 0;

  // Verifies those that were not verified before, and learns from the results.
  void query(const std::vector<SearchPoint>& points);
  bool verified(const SearchPoint& point);
  // Takes away refinements in chunks, halves first, as long as the fences stay verified.
  void drop_refinements(const SearchPoint& point);

  const unsigned jobs_;
  KnownPoints known_;
  std::map<SearchPoint, ProofAnswer> answers_;
  bool stopped_ = false;  // by a limit
  PropagationResult result_;

 private:
  void learn(const SearchPoint& point, ProofAnswer answer);
  bool limit_reached();

  const PropagationTask& task_;
  const std::chrono::steady_clock::time_point start_ = std::chrono::steady_clock::now();
  bool doubtful_ = false;  // some call was out of limits
};

}  // namespace fenceline::synth
