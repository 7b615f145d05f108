// SPDX-License-Identifier: GPL-3.0-or-later
//
// The result of a task: a proof, a counterexample, or unknown with a reason. What belongs to one kind of
// answer only is in that answer; statistics and the sentence for reports are beside it.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <variant>
#include <vector>

#include "env/limits.h"
#include "env/verdict.h"
#include "ir/edit/fence_set.h"
#include "ir/ids.h"
#include "task/counterexample.h"
#include "task/execution.h"
#include "task/trace.h"

namespace fenceline {

// No counterexample exists up to a bound; what lies beyond was not explored.
struct Bound {
  std::string what;  // what is bounded, for reports: the field `bounded.what`
  uint64_t limit = 0;
};

// Why there is no answer.
enum class UnknownReason : uint8_t {
  kLimit,        // time or memory ran out, or the user interrupted
  kBound,        // no counterexample within a bound (Unknown::bound)
  kUnsupported,  // the engine, or Fenceline, does not support something in the task
  kSpurious,     // the abstraction has a counterexample that no execution of the exact machine concretises
  kImprecise,    // the abstraction cannot exclude a counterexample, and no execution is known that is one
  kOverflow,     // a value leaves the 64-bit integers
  kUndefined,    // the formula of the property has no value in some reachable state
  kModel,        // the model does not define the program: a flag, no execution, an out-of-thin-air value
  kVacuous,      // the property would hold vacuously
  kRejected,     // a proof was found, and its check rejects it
};

constexpr std::string_view to_string(UnknownReason reason) {
  switch (reason) {
    case UnknownReason::kLimit:
      return "limit";
    case UnknownReason::kBound:
      return "bound";
    case UnknownReason::kUnsupported:
      return "unsupported";
    case UnknownReason::kSpurious:
      return "spurious";
    case UnknownReason::kImprecise:
      return "imprecise";
    case UnknownReason::kOverflow:
      return "overflow";
    case UnknownReason::kUndefined:
      return "undefined";
    case UnknownReason::kModel:
      return "model";
    case UnknownReason::kVacuous:
      return "vacuous";
    case UnknownReason::kRejected:
      return "rejected";
  }
  return "unsupported";
}

struct Unknown {
  UnknownReason reason = UnknownReason::kUnsupported;
  std::optional<Bound> bound = {};                        // kBound
  std::vector<ViolatedOrdering> violated_orderings = {};  // kSpurious: of the spurious counterexample
};

// What a proof consists of, and whether check/ has checked it with code of its own.
struct Certificate {
  std::string kind;      // "antichain of abstract states"
  uint64_t size = 0;     // in `unit`s
  bool checked = false;  // accepted; one that is rejected is a Bug and never a result
  std::string unit = "states";
};

struct Proof {
  std::optional<Certificate> certificate = {};  // if the engine makes them and --certify allows it
  std::string not_covered = {};                 // what the proof does not cover; empty: nothing
};

// An execution of a machine that violates the property, replayed: replay.ok.
struct TraceCounterexample {
  Trace trace;
  Replay replay;
  bool shortest = false;  // none has fewer steps; an atomic section counts as one
  std::vector<ViolatedOrdering> violated_orderings = {};
};

// An execution that an axiomatic model allows and that violates the property, checked: check.ok.
struct ExecutionCounterexample {
  Execution execution;
  ExecutionCheck check;
};

using Counterexample = std::variant<TraceCounterexample, ExecutionCounterexample>;

// A set of buffer contents that a symbolic search had at some location.
struct BufferLanguage {
  ThreadId thread;
  uint32_t line = 0;     // of its thread's program counter; 0: its code has no position
  std::string language;  // "((x,1)(x,0))*"
};

struct Statistics {
  uint64_t states = 0;
  uint64_t transitions = 0;
  double seconds = 0;
  std::vector<std::pair<std::string, double>> figures;  // further ones, by name
};

using Conclusion = std::variant<Unknown, Proof, Counterexample>;

struct Result {
  Conclusion conclusion;
  std::string reason;       // one sentence: why this answer
  std::string abstraction;  // the one that decided, "fd1"; empty: none, the machine was exact
  // The automata engine: infinite languages that came up; of an Unknown: those that kept growing.
  std::vector<BufferLanguage> buffers;
  Statistics statistics;

  Verdict verdict() const;

  // These are null, empty or false where the answer is another one.
  const Unknown* unknown() const { return std::get_if<Unknown>(&conclusion); }
  const Proof* proof() const { return std::get_if<Proof>(&conclusion); }
  const Certificate* certificate() const;
  const TraceCounterexample* trace_counterexample() const;
  const ExecutionCounterexample* execution_counterexample() const;
  const Trace* trace() const;
  const Replay* replay() const;
  bool shortest() const;
  bool spurious() const { return is_unknown(UnknownReason::kSpurious); }
  bool is_unknown(UnknownReason why) const;
  const std::vector<ViolatedOrdering>& violated_orderings() const;
};

// An Unknown with its sentence.
Result unknown_result(UnknownReason reason, std::string sentence);
Result limit_result(const Limits& limits, LimitReached reached);

// The error that ends the counterexample, if it ends with one: "the assertion fails".
ProgramError final_error(const Result& result);

}  // namespace fenceline
