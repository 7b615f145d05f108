// SPDX-License-Identifier: GPL-3.0-or-later
#include "task/result.h"

namespace fenceline {

Verdict Result::verdict() const {
  if (proof() != nullptr) return Verdict::kVerified;
  return unknown() != nullptr ? Verdict::kUnknown : Verdict::kViolated;
}

const Certificate* Result::certificate() const {
  const Proof* found = proof();
  return found != nullptr && found->certificate ? &*found->certificate : nullptr;
}

const TraceCounterexample* Result::trace_counterexample() const {
  const auto* counterexample = std::get_if<Counterexample>(&conclusion);
  return counterexample == nullptr ? nullptr : std::get_if<TraceCounterexample>(counterexample);
}

const ExecutionCounterexample* Result::execution_counterexample() const {
  const auto* counterexample = std::get_if<Counterexample>(&conclusion);
  return counterexample == nullptr ? nullptr : std::get_if<ExecutionCounterexample>(counterexample);
}

const Trace* Result::trace() const {
  const TraceCounterexample* found = trace_counterexample();
  return found == nullptr ? nullptr : &found->trace;
}

const Replay* Result::replay() const {
  const TraceCounterexample* found = trace_counterexample();
  return found == nullptr ? nullptr : &found->replay;
}

bool Result::shortest() const {
  const TraceCounterexample* found = trace_counterexample();
  return found != nullptr && found->shortest;
}

bool Result::is_unknown(UnknownReason why) const {
  const Unknown* found = unknown();
  return found != nullptr && found->reason == why;
}

const std::vector<ViolatedOrdering>& Result::violated_orderings() const {
  static const std::vector<ViolatedOrdering> kNone;
  if (const TraceCounterexample* found = trace_counterexample()) return found->violated_orderings;
  return unknown() != nullptr ? unknown()->violated_orderings : kNone;
}

Result unknown_result(UnknownReason reason, std::string sentence) {
  Result result;
  result.conclusion = Unknown{.reason = reason};
  result.reason = std::move(sentence);
  return result;
}

Result limit_result(const Limits& limits, LimitReached reached) {
  return unknown_result(UnknownReason::kLimit, limits.describe(reached));
}

ProgramError final_error(const Result& result) {
  if (const Replay* replay = result.replay(); replay != nullptr && !replay->steps.empty())
    return replay->steps.back().effect.error;
  if (const ExecutionCounterexample* found = result.execution_counterexample()) return found->check.error;
  return {};
}

}  // namespace fenceline
