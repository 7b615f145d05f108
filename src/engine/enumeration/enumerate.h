// SPDX-License-Identifier: GPL-3.0-or-later
//
// All executions of a small program that a model allows, one by one, counted by the final states that they
// lead to: the result of a litmus test. Brute force, by the model alone; no machine, no solver.
//
// An execution here is complete: all threads have ended. Two are different if they differ in what havoc and
// choose pick, in where a read reads, or in the order of the writes to a cell.
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <span>
#include <string>
#include <vector>

#include "env/limits.h"
#include "ir/program.h"
#include "model/cat/relational.h"
#include "task/execution.h"

namespace fenceline {

struct EnumerationLimits {
  size_t longest = 200;           // instructions of a thread; longer executions are left out (`too_long`)
  uint64_t budget = 100'000'000;  // instructions executed and evaluations of the model
  Limits* limits = nullptr;       // polled if there is one
};

struct Enumeration {
  bool complete = false;  // else there are more executions than those counted here
  std::string why_not;    // if !complete

  // By the values of the observed expressions: how many executions end like this.
  std::map<std::vector<Value>, uint64_t> states;
  uint64_t executions = 0;
  std::map<std::string, uint64_t> flags;  // name of a flag of the model: in how many executions it is raised

  // What some thread can do if its loads return values that some thread can store; whether that happens in an
  // execution is not examined. Such traces are no executions.
  bool stopped = false;    // an assumption does not hold
  bool failed = false;     // an error: assertion, range, index, division
  bool too_long = false;   // more than `longest` instructions
  bool too_large = false;  // a value outside of 64 bits

  uint64_t steps = 0;  // of the budget
};

// `observed` are property expressions. An execution in which one has no value (an index outside its array) is
// counted in `executions` only. `visit`, if given, is called with every execution.
// Throws Unsupported for a `sync` and for models that CatEvaluator rejects.
Enumeration enumerate_executions(const Program& program, const CatModel& model,
                                 std::span<const ExprId> observed, const EnumerationLimits& limits = {},
                                 const std::function<void(const Execution&)>& visit = {});

}  // namespace fenceline
