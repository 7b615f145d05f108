// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "domain/numeric/abstract_element.h"
#include "engine/numeric/plan.h"
#include "env/env.h"
#include "env/option_group.h"
#include "task/result.h"
#include "task/task.h"

namespace fenceline::numeric {

// Another layout of states, with a decision procedure of its own.
using NumericLayout = Result (*)(const Task& task, Env& env);

struct NumericOptions {
  std::optional<NumericDomain> domain;  // none: polyhedra, then differences
  uint64_t disjuncts = 3;
  uint64_t slots = 0;     // 0: several are tried
  std::string invariant;  // a file for the invariant; empty: none
  bool confirm = true;
  ArrayMode arrays = ArrayMode::kAuto;
  NumericLayout layout = nullptr;  // none: what is finite is tracked explicitly
};

OptionGroup numeric_options();

}  // namespace fenceline::numeric
