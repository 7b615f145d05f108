// SPDX-License-Identifier: GPL-3.0-or-later
//
// All executions of a small program that a model allows, one by one, counted by the final states that they
// lead to: the result of a litmus test. Brute force, by the model alone; no machine, no solver.
//
// Two executions are different if they differ in what havoc and choose pick, in where a read reads, or in the
// order of the writes to a cell. A thread of an execution that is not complete has stopped: behind an event,
// before its first one, or at an error.
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "check/axiomatic/thread_traces.h"
#include "env/limits.h"
#include "ir/edit/overlay.h"
#include "ir/program.h"
#include "model/cat/relational.h"
#include "task/execution.h"

namespace fenceline::engine {

struct EnumerationLimits {
  size_t longest = 200;           // instructions of a thread; longer executions are left out (`too_long`)
  uint64_t budget = 100'000'000;  // instructions executed and evaluations of the model
  Limits* limits = nullptr;       // polled if there is one
  bool whole = false;             // ends at once if an execution may have to be left out
};

// Which executions.
enum class Extent : uint8_t {
  kComplete,  // all threads have ended
  kFailing,   // some thread has stopped at an error; the others may have stopped, too
  kPartial,   // all, also those in which no thread has done anything
};

// One of them.
struct EnumeratedExecution {
  bool fails = false;                          // some thread has stopped at an error
  std::span<const size_t> flags;               // of the model, as indices of its constraints
  std::optional<std::vector<Value>> observed;  // kComplete; none: one of them has no value
  std::function<Execution()> execution;
};

// False: that was enough.
using ExecutionVisitor = std::function<bool(const EnumeratedExecution&)>;

struct EnumerationOptions {
  Extent extent = Extent::kComplete;
  const check::CellValues* values = nullptr;  // as in TraceOptions
  EnumerationLimits limits = {};
};

struct Enumeration {
  bool complete = false;  // else there may be more executions than those counted here
  std::string why_not;    // if a limit is the reason

  // By the values of the observed expressions: how many complete executions end like this.
  std::map<std::vector<Value>, uint64_t> states;
  uint64_t executions = 0;
  std::map<std::string, uint64_t> flags;  // name of a flag of the model: in how many executions it is raised

  // What some thread can do if its loads return values that some thread can store; whether that happens in an
  // execution is not examined. Such traces are no complete executions.
  bool stopped = false;    // an assumption does not hold
  bool failed = false;     // an error: assertion, range, index, division
  bool too_long = false;   // more than `longest` instructions
  bool too_large = false;  // a value outside of 64 bits

  uint64_t steps = 0;  // of the budget
};

// `observed` are property expressions. An execution in which one has no value (an index outside its array) is
// counted in `executions` only. Throws Unsupported for a `sync` and for models that CatEvaluator rejects.
Enumeration enumerate_executions(const Overlay& overlay, const CatModel& model,
                                 std::span<const ExprId> observed, const EnumerationOptions& options,
                                 const ExecutionVisitor& visit);

// The complete executions of a program without further fences. `visit`, if given, is called with every one.
Enumeration enumerate_executions(const Program& program, const CatModel& model,
                                 std::span<const ExprId> observed, const EnumerationLimits& limits = {},
                                 const std::function<void(const Execution&)>& visit = {});

}  // namespace fenceline::engine
