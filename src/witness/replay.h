// SPDX-License-Identifier: GPL-3.0-or-later
//
// Re-executes a trace on a machine of its own: plain maps and lists, written straight from the rules in
// docs/semantics.md, sharing no code with semantics/. Every trace passes through here before a user sees it.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "property/problem.h"
#include "witness/trace.h"

namespace fenceline {

// One store waiting in a buffer, as reports show it.
struct BufferedStore {
  CellId cell;
  Value value = 0;
  size_t step = 0;  // the index of the trace step that stored it
};

// ReplayedStep::error of an assertion whose condition is 0.
inline constexpr const char* kAssertionFails = "the assertion fails";

// A trace step with everything a reader wants to know about it.
struct ReplayedStep {
  TraceStep step;    // the claims completed where the engine left them open
  std::string text;  // the instruction with its addresses and values, e.g. "flag[0] = 1"
  std::optional<size_t>
      reads_from;                // loads, rmw: index of the step whose store was read; none: initial value
  bool from_own_buffer = false;  // a load that was answered by the thread's own buffer
  std::vector<BufferedStore> buffer;  // of the step's thread, oldest first, after the step
  std::string error;                  // the last step of a failed run: what went wrong
  bool our_limit = false;             // `error` is about what Fenceline cannot do, not about the program
  SourcePos pos;                      // of the instruction; of a flush: of the store that reaches memory
  Point after;                        // where the thread stands after the step
  std::optional<size_t> stored_by;    // flush, perform: index of the step that stored or issued it
  // Machines with queues: the steps that issued accesses which this one has overtaken, and what the step is
  // in the history of transactions.
  std::vector<size_t> overtaken;
  std::optional<HistoryStep> history;
};

struct Replay {
  bool ok = false;      // every step was possible, every claim true, and the end violates the property
  std::string why_not;  // if !ok: the first thing that was not so
  std::vector<ReplayedStep> steps;
  std::vector<Value> memory;                  // at the end
  std::vector<std::vector<Value>> registers;  // at the end, by thread
  std::vector<Point> where;                   // at the end, by thread
  bool queues = false;                        // a run of the machine with queues
  std::string history_error;                  // what is wrong with its history, in a sentence
};

// Never throws on a bad trace; that is `ok == false`. Throws Bug for a model that has no store buffers.
Replay replay(const Problem& problem, const Trace& trace);

}  // namespace fenceline
