// SPDX-License-Identifier: GPL-3.0-or-later
//
// The layout of Meshman, Dan, Vechev and Yahav ("Synthesis of Memory Fences via Refinement Propagation",
// sections 4.2 to 4.4) beside ours: the program with its store buffers as variables is a program on SC
// (transform/to_sc/to_sc.h), and every variable of it is a dimension of one abstract element per combination
// of program counters. Only the refinements are tracked explicitly: booleans that record at some program
// points whether a flush happened there.
//
// It serves as a baseline, and for the search for refinements.
#pragma once

#include <cstdint>
#include <optional>
#include <set>
#include <string>

#include "domain/numeric/abstract_element.h"
#include "engine/engine.h"
#include "engine/numeric/plan.h"
#include "env/env.h"
#include "env/limits.h"
#include "task/task.h"
#include "transform/to_sc/to_sc.h"

namespace fenceline::reference {

struct PaperOptions {
  // How many stores a buffer has room for: from the first on, one more each time that they may not be enough.
  // At least 1.
  unsigned first_slots = 1, last_slots = 4;
  numeric::NumericDomain domain = numeric::NumericDomain::kPolyhedra;
  numeric::ArrayMode arrays = numeric::ArrayMode::kAuto;
  std::set<transform::FlushPoint> refinements;  // flush_points() of program, fences and model
  // Proofs with at most so many sets are checked again.
  uint64_t check_up_to = 0;
};

struct PaperAnalysis {
  enum class Outcome : uint8_t {
    kVerified,  // no buffer is ever too short, and the property holds
    kAlarm,     // no buffer is ever too short, but the property may fail
    kOverflow,  // a buffer of the last length may be too short
    kRejected,  // a proof was found, but the checker rejects it
    kLimit,
  };
  Outcome outcome = Outcome::kOverflow;
  LimitReached limit = LimitReached::kNone;
  unsigned slots = 0;                            // the last that were tried
  uint64_t partitions = 0, sets = 0, steps = 0;  // of all analyses together
  uint64_t numeric_variables = 0;                // of the last one
  // kVerified: the two invariants (of overflow and of the property). They are about the reduced program.
  std::optional<Certificate> certificate;

  std::string reason() const;  // one sentence; not for kLimit
};

// Why the task has no such layout; empty if it has. As reduction_unsupported().
std::string paper_layout_unsupported(const Task& task);

// Precondition: paper_layout_unsupported() is empty, and the numeric engine supports the task. Throws
// Unsupported.
PaperAnalysis analyze_reduced(const Task& task, const PaperOptions& options, Limits& limits);

// As a layout of the numeric engine (NumericOptions::layout): one analysis, and where it proves nothing a search of
// the exact machine. Throws Unsupported.
Result decide_in_paper_layout(const Task& task, Env& env);

}  // namespace fenceline::reference
