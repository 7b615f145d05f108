// SPDX-License-Identifier: GPL-3.0-or-later
//
// The result of fence inference as text.
#pragma once

#include <string>
#include <vector>

#include "report/report.h"
#include "task/synthesis.h"

namespace fenceline::report {

// A synthesis with its context. Pointers are borrowed.
struct SynthesisReport {
  std::string file, model;
  std::string method;                                          // "lazy"
  std::string engine;                                          // that ran the queries
  const Program* program = nullptr;                            // without the fences; none: it was not read
  const std::vector<CandidatePosition>* candidates = nullptr;  // none: likewise
  const Synthesis* synthesis = nullptr;
  bool all_requested = false;  // every minimum placement, not just one
  double seconds = 0;

  size_t candidate_count() const { return candidates == nullptr ? 0 : candidates->size(); }
  const CandidatePosition& candidate(const PlacedFence& fence) const { return (*candidates)[fence.position]; }
};

// Ends in a newline. If no fences are sufficient, the report of the counterexample follows it (text_report).
std::string synthesis_text(const SynthesisReport& report, const TextStyle& style);

}  // namespace fenceline::report
