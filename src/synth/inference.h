// SPDX-License-Identifier: GPL-3.0-or-later
//
// The task of fence inference. The methods (lazy.h, foil.h, lattice_inference.h, avoid/) are functions from
// it to a Synthesis; they verify through a function, so that they can be tested without an engine.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <vector>

#include "ir/edit/fence_set.h"
#include "ir/program.h"
#include "synth/candidate_positions.h"
#include "task/result.h"
#include "task/synthesis.h"
#include "task/task.h"

namespace fenceline::synth {

// Everything is borrowed.
struct SynthesisTask {
  const Program& program;
  const MemoryModel& model;
  const std::vector<Property>& properties;  // all of them have to hold with the fences
  const std::vector<CandidatePosition>& candidates;
  std::function<Result(const Task&)> verify;
  bool all = false;  // every minimum placement, not just one
  // Kinds that may replace full fences once their positions are chosen, the cheapest first.
  std::vector<FenceKinds> weaker = {};
};

FenceSet fence_set(const std::vector<CandidatePosition>& candidates, const Placement& placement);

// One fence after the other becomes the cheapest of task.weaker with which everything is still verified. The
// result cannot be weakened further at one position; a cheaper mix may exist. Returns the results for each
// property in the end; empty if nothing changed.
using VerifyProperty = std::function<Result(const FenceSet&, size_t property)>;
std::vector<Result> weaken(const SynthesisTask& task, Placement& placement, const VerifyProperty& verify);

// A counterexample found with the fences of `query`, as one of the program without them. None if the property
// is violated only by a thread whose program counter is at such a fence. Precondition: the result is one of
// the query.
std::optional<Result> without_fences(const Task& query, Result result);

}  // namespace fenceline::synth
