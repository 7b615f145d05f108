// SPDX-License-Identifier: GPL-3.0-or-later
//
// What an engine answers.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "env/verdict.h"
#include "ir/ids.h"
#include "task/counterexample.h"
#include "task/execution.h"
#include "task/trace.h"

namespace fenceline {

// A verdict that holds only up to a bound is kUnknown with `bound` set: it is never a proof.
struct Bound {
  std::string what;  // "waiting stores per thread"
  uint64_t limit = 0;
};

// What a proof was, and whether check/ has checked it with code of its own.
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
  // The watched places (fences of no kind in task.fences) that the run, real or spurious, passes with
  // stores of its thread still waiting: `after` as in FenceSet. A full fence at any one of them would stop
  // it.
  std::vector<std::pair<ThreadId, Point>> crossed;

  uint64_t states = 0;
  uint64_t transitions = 0;
  double seconds = 0;
  std::vector<std::pair<std::string, double>> statistics;  // further figures, by name
};

}  // namespace fenceline
