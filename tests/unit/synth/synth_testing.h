// SPDX-License-Identifier: GPL-3.0-or-later
//
// Inference on programs written as text, verified by the explicit engine, and the same by
// trying all sets of positions.
#pragma once

#include <string>
#include <vector>

#include "engine/portfolio/portfolio.h"
#include "frontend/fl/fl.h"
#include "property/properties.h"
#include "synth/lazy.h"
#include "unit/peterson.h"

namespace fenceline::testing {

// Does not move: tasks point into it.
class InferenceCase {
 public:
  InferenceCase(const std::string& text, const std::string& model,
                synth::Positions positions = synth::Positions::kStores)
      : program_(frontend::parse_fl({"test.fl", text})),
        model_(memory_model(model)),
        properties_(property::properties_to_check(program_, options_)),
        candidates_(synth::candidate_positions(program_, positions)) {}
  InferenceCase(const InferenceCase&) = delete;

  synth::SynthesisTask task() const {
    return {program_, model_, properties_, candidates_, [this](const Task& query) { return verify(query); }};
  }
  const std::vector<CandidatePosition>& candidates() const { return candidates_; }
  const Program& program() const { return program_; }

  Result verify(const Task& query) const {
    Limits limits;
    return engine::verify_by("explicit", query, options_, limits);
  }

  bool right_with(const Placement& placement) const {
    const FenceSet fences = synth::fence_set(candidates_, placement);
    for (const Property& property : properties_)
      if (verify(Task{program_, fences, model_, property}).verdict() != Verdict::kVerified) return false;
    return true;
  }

  // All smallest sets of positions with which everything is verified; empty if there is none.
  std::vector<Placement> smallest_by_brute_force() const {
    for (size_t size = 0; size <= candidates_.size(); ++size) {
      std::vector<Placement> right;
      for (uint32_t bits = 0; bits < 1u << candidates_.size(); ++bits) {
        Placement placement;
        for (size_t p = 0; p < candidates_.size(); ++p)
          if ((bits >> p & 1) != 0) placement.push_back({p});
        if (placement.size() == size && right_with(placement)) right.push_back(std::move(placement));
      }
      if (!right.empty()) return right;
    }
    return {};
  }

  // The lines that get a fence behind them.
  std::vector<uint32_t> lines(const Placement& placement) const {
    std::vector<uint32_t> lines;
    for (const PlacedFence& fence : placement) lines.push_back(candidates_[fence.position].pos.line);
    return lines;
  }

 private:
  const Options options_;
  const Program program_;
  const MemoryModel& model_;
  const std::vector<Property> properties_;
  const std::vector<CandidatePosition> candidates_;
};

using fenceline::kPeterson;

}  // namespace fenceline::testing
