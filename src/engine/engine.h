// SPDX-License-Identifier: GPL-3.0-or-later
//
// What every engine is: a function from a Problem to a Result.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "env/env.h"
#include "env/verdict.h"
#include "property/problem.h"
#include "witness/replay.h"
#include "witness/trace.h"

namespace fenceline {

// A verdict that holds only up to a bound is kUnknown with `bound` set: it is never a proof.
struct Bound {
  std::string what;  // "waiting stores per thread"
  uint64_t limit = 0;
};

struct Result {
  Verdict verdict = Verdict::kUnknown;
  std::string reason;  // one sentence: why this verdict
  std::optional<Bound> bound;
  std::optional<Trace> trace;    // kViolated: what goes wrong
  std::optional<Replay> replay;  // the trace, re-executed; kViolated is reported only if replay->ok
  bool shortest = false;         // no shorter trace exists
  uint64_t states = 0;
  uint64_t transitions = 0;
  double seconds = 0;
  std::vector<std::pair<std::string, double>> statistics;  // further figures, by name
};

class Engine {
 public:
  virtual ~Engine() = default;

  virtual std::string_view name() const = 0;
  virtual std::string_view summary() const = 0;  // one line for `fenceline engines`

  // Empty if this engine can decide such problems, else why not.
  virtual std::string cannot(const Problem& problem) const = 0;

  // Precondition: cannot(problem) is empty. Never throws for what the program under test does.
  virtual Result run(const Problem& problem, Env& env) const = 0;
};

}  // namespace fenceline
