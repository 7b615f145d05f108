// SPDX-License-Identifier: GPL-3.0-or-later
//
// The options that only one command has.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "engine/outcomes/final_outcomes.h"
#include "env/option_group.h"
#include "synth/candidate_positions.h"

namespace fenceline::app {

enum class InferMethod : uint8_t { kAuto, kLazy, kAvoid, kFoil, kProp, kBfs, kDfs, kDescent };
std::string_view to_string(InferMethod method);  // as --method has it

enum class InferFences : uint8_t {
  kFull,
  kAny,  // then each is weakened as far as everything stays verified
};

struct InferOptions {
  InferMethod method = InferMethod::kAuto;
  synth::Positions positions = synth::Positions::kStores;
  InferFences fences = InferFences::kFull;
  bool all_placements = false;
  std::string patch;
  std::string plot;
  bool in_place = false;
};
OptionGroup infer_options();

struct LitmusOptions {
  std::string model;           // empty: the one for the architecture of each test
  uint64_t tests_at_once = 0;  // 0: as many as there are cores
  engine::OutcomeEngine engine = engine::OutcomeEngine::kAuto;
};
OptionGroup litmus_options();

enum class ReduceRefinement : uint8_t { kNone, kAll };  // the flushes that are remembered

struct ReduceOptions {
  uint64_t slots = 0;  // of a buffer; 0: 2
  ReduceRefinement refine = ReduceRefinement::kNone;
};
OptionGroup reduce_options();

}  // namespace fenceline::app
