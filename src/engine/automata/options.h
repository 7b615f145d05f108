// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <cstdint>
#include <memory>

#include "env/env.h"
#include "env/option_group.h"
#include "task/task.h"

namespace fenceline::automata {

class SymbolicSearch;
struct SymbolicSearchOptions;

// Makes a search of the symbolic states of the task, which must outlive it, as must the Env.
using MakeSymbolicSearch = std::unique_ptr<SymbolicSearch> (*)(const Task& task,
                                                               const SymbolicSearchOptions& options,
                                                               Env& env);
std::unique_ptr<SymbolicSearch> make_breadth_first(const Task& task, const SymbolicSearchOptions& options,
                                                   Env& env);

struct AutomataOptions {
  MakeSymbolicSearch search = make_breadth_first;
  bool acceleration = true;
  bool library = true;
  bool sleep_sets = true;
  uint64_t widen_above = 32;  // states of an automaton; 0: never
};

OptionGroup automata_options();

}  // namespace fenceline::automata
