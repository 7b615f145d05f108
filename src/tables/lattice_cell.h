// SPDX-License-Identifier: GPL-3.0-or-later
//
// One search for fences among all sets of positions: in our layout of abstract states, where only fences are
// searched for, and in the paper's (engine/numeric/paper_layout.h), where refinements are as well.
#pragma once

#include <map>
#include <optional>
#include <vector>

#include "env/limits.h"
#include "model/memory_model.h"
#include "synth/candidate_positions.h"
#include "synth/propagation.h"
#include "tables/measure.h"
#include "transform/to_sc/to_sc.h"

namespace fenceline::tables {

// A program, all its properties, and where fences may be put: after stores.
class LatticeSubject {
 public:
  static constexpr double kPartForPaper = 1.0 / 6;  // of the limit: hardly any search in its layout ends

  LatticeSubject(const BenchContext& context, std::string_view program, std::string_view model);

  // A candidate position counts once for each thread that executes it.
  size_t fences_in_all_threads(const synth::FenceMask& positions) const;
  synth::FenceMask all_positions() const { return synth::FenceMask::first(candidates_.size()); }

  struct Cell {
    synth::PropagationResult found;  // minimal: fewest fences in all threads first, then fewest refinements
    double seconds = 0;
    bool limited = false;  // the search, or some call of it, was ended by the limit
    // Of the first verified point with at most so many fences in all threads.
    std::optional<double> seconds_to(size_t fences) const;
    std::vector<std::pair<double, size_t>> verified;  // when, and with how many fences in all threads
  };

  // Our layout. The limit of the context is that of the search as a whole.
  Cell search(synth::Strategy strategy) const;
  // Is every property proved with these fences, and the proof accepted?
  bool proof_is_checked(const synth::FenceMask& positions) const;

  // The paper's layout.
  Cell search_as_in_paper(synth::Strategy strategy);
  synth::SearchPoint top() { return {all_positions(), refinements(all_positions())}; }
  // Within a limit of its own. `check`: and the proofs accepted.
  synth::ProofAnswer verified_as_in_paper(const synth::SearchPoint& point, bool check);

 private:
  FenceSet fence_set_of(const synth::FenceMask& positions) const;
  Cell ended(synth::PropagationResult&& found, const std::vector<synth::FenceMask>& queried, double seconds,
             Limits& limits) const;
  synth::RefinementMask refinements(const synth::FenceMask& positions);
  // A flush before a fence is identified with the one before the instruction behind the fence, so that
  // removing a fence never removes a refinement.
  size_t number_of(const Overlay& overlay, const transform::FlushPoint& flush);
  // In a process of its own.
  synth::ProofAnswer verify_isolated(const synth::SearchPoint& point, bool check, Limits& limits);
  synth::ProofAnswer verify_as_in_paper(const synth::SearchPoint& point, bool check, Limits& limits);

  const BenchContext& context_;
  const engine::Engine& engine_;
  const Program program_;
  const MemoryModel& model_;
  const std::vector<Property> properties_;
  const std::vector<CandidatePosition> candidates_;
  std::map<std::pair<ThreadId, Point>, size_t> refinement_numbers_;
};

}  // namespace fenceline::tables
