// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <cstdint>

#include "env/option_group.h"

namespace fenceline {

enum class AutomataSearch : uint8_t { kBreadthFirst, kDepthFirst };

struct AutomataOptions {
  AutomataSearch search = AutomataSearch::kBreadthFirst;
  bool acceleration = true;
  bool library = true;
  bool sleep_sets = true;
  uint64_t widen_above = 32;  // states of an automaton; 0: never
};

OptionGroup automata_options();

}  // namespace fenceline
