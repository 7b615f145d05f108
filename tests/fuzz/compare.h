// SPDX-License-Identifier: GPL-3.0-or-later
//
// One program, all readings of its semantics, and whether they agree.
//
//   naive explorer    all programs        final states, errors, deadlocks
//   axiomatic oracle  no atomic sections, loops that end by themselves
//                                         final states, errors; deadlocks are impossible there
//   engine            all programs        final states, errors, deadlocks
//   sat               all programs, with --sat
//                                         final states, errors, deadlocks (unless an atomic section chooses)
//
// Every two complete answers must be equal. What an incomplete answer of sat has must be in the others.
#pragma once

#include <array>
#include <optional>
#include <string>

#include "engine_adapter.h"
#include "mini_program.h"
#include "naive.h"
#include "outcomes_of.h"
#include "sat_adapter.h"

namespace fenceline::fuzz {

struct Difference {
  std::string between;  // "naive and oracle": shrinking must keep it
  unsigned model = 0;
  std::string text;  // both sets' difference, in words
};

struct Comparison {
  struct PerModel {
    size_t answers = 0;  // complete ones; with fewer than two nothing was compared
    size_t finals = 0;
    uint64_t states = 0;         // of the naive explorer
    std::string skipped;         // why there were fewer than two
    std::string oracle_skipped;  // why the oracle has no answer, if it was used
    std::string sat_skipped;     // and sat
    double sat_seconds = 0;
    bool error = false, deadlock = false;
  };
  std::array<PerModel, kModels> of_model;
  std::optional<Difference> difference;
};

struct CompareOptions {
  NaiveOptions naive;
  EngineSettings engine;
  std::optional<SatSettings> sat;
};

// `models`: bits of the models to compare under. Precondition: well_formed(program).
Comparison compare_all(const MiniProgram& program, unsigned models, const CompareOptions& options = {});

}  // namespace fenceline::fuzz
