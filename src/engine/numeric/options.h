// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "domain/numeric/numbers.h"
#include "engine/numeric/plan.h"
#include "env/option_group.h"

namespace fenceline {

enum class NumericLayout : uint8_t {
  kExplicit,  // what is finite is told apart
  kPaper,     // all is numbers
};

enum class NumericRefinement : uint8_t { kNone, kAll };  // kPaper: the flushes that are remembered

struct NumericOptions {
  std::optional<NumericDomain> domain;  // none: polyhedra, then differences
  uint64_t disjuncts = 3;
  uint64_t slots = 0;     // 0: the engine tries some
  std::string invariant;  // a file for what was found to hold; empty: none
  bool confirm = true;
  ArrayMode arrays = ArrayMode::kAuto;
  NumericLayout layout = NumericLayout::kExplicit;
  NumericRefinement refine = NumericRefinement::kNone;
};

OptionGroup numeric_options();

}  // namespace fenceline
