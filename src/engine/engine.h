// SPDX-License-Identifier: GPL-3.0-or-later
//
// What every engine is: a function from a Problem to a Result.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "env/env.h"
#include "env/verdict.h"
#include "property/problem.h"
#include "witness/execution_checker.h"
#include "witness/replay.h"
#include "witness/trace.h"

namespace fenceline {

// A verdict that holds only up to a bound is kUnknown with `bound` set: it is never a proof.
struct Bound {
  std::string what;  // "waiting stores per thread"
  uint64_t limit = 0;
};

// What a proof was, and whether witness/ has checked it with code of its own.
struct Certificate {
  std::string kind;      // "antichain of abstract states"
  uint64_t size = 0;     // in `unit`s
  bool checked = false;  // accepted; a certificate that is refused is a Bug and never a result
  std::string unit = "states";
};

// A set of buffer contents that a symbolic search had at some place.
struct BufferLanguage {
  ThreadId thread;
  uint32_t line = 0;     // where its thread stood; 0: its code has no position
  std::string language;  // "((x,1)(x,0))*"
};

struct Result {
  Verdict verdict = Verdict::kUnknown;
  std::string reason;  // one sentence: why this verdict
  std::optional<Bound> bound;
  std::string not_covered;       // kVerified: what the proof does not speak of; empty: nothing
  std::optional<Trace> trace;    // kViolated: what goes wrong
  std::optional<Replay> replay;  // the trace, re-executed; kViolated is reported only if replay->ok
  // kViolated on a model without a machine: what goes wrong as an execution, and what checking it said;
  // kViolated is reported only if execution_check->ok.
  std::optional<Execution> execution;
  std::optional<ExecutionCheck> execution_check;
  bool shortest = false;                   // none has fewer steps; an atomic section counts as one
  std::optional<Certificate> certificate;  // kVerified, if the engine makes them and --certify asks for it
  // The automata engine: languages without end that came up; kUnknown: those that kept growing.
  std::vector<BufferLanguage> buffers;
  std::string abstraction;  // the one that decided, "fd1"; empty: none, the machine was exact

  // kUnknown only: an abstract run goes wrong that no run of the exact machine follows.
  bool spurious = false;
  // The watched places (fences of no kind in problem.fences) that the run, real or spurious, passes with
  // stores of its thread still waiting: `after` as in FenceSet. A full fence at any one of them would stop
  // it.
  std::vector<std::pair<ThreadId, Point>> crossed;

  uint64_t states = 0;
  uint64_t transitions = 0;
  double seconds = 0;
  std::vector<std::pair<std::string, double>> statistics;  // further figures, by name
};

// What every engine's run() does around its own work: takes the time, and answers `unknown` when the machine
// runs out of memory.
Result measured(const std::function<Result()>& decide);

class Engine {
 public:
  virtual ~Engine() = default;

  virtual std::string_view name() const = 0;
  virtual std::string_view summary() const = 0;  // one line for `fenceline engines`

  // Empty if this engine can decide such problems, else why not.
  virtual std::string cannot(const Problem& problem) const = 0;

  // Why this engine may well end without an answer although it takes the problem, so that others should be
  // asked first; empty if there is no such reason.
  // For most, tests of data types are such: many threads, many values, and loops that end.
  virtual std::string hesitates(const Problem& problem) const;

  // Precondition: cannot(problem) is empty. Never throws for what the program under test does.
  virtual Result run(const Problem& problem, Env& env) const = 0;
};

// Is there a variable for whose values no bound is known? Not in programs whose integers wrap.
bool has_unbounded_integers(const Program& program);

// Empty, or why an engine that knows nothing of transactions cannot decide the problem.
std::string knows_no_histories(const Engine& engine, const Problem& problem);

}  // namespace fenceline
