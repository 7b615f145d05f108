// SPDX-License-Identifier: GPL-3.0-or-later
#include "engine/outcomes/final_outcomes.h"

#include <limits>
#include <utility>

#include "engine/enumeration/enumerate.h"
#include "engine/enumeration/enumeration_engine.h"
#include "engine/executions/executions_engine.h"
#include "engine/outcomes/explored_outcomes.h"
#include "engine/sat/sat_engine.h"
#include "env/errors.h"
#include "ir/analysis/ranges.h"

namespace fenceline::engine {
namespace {

LitmusOutcomes enumerated_outcomes(const Program& program, const MemoryModel& model,
                                   std::span<const ExprId> observed, Env& env) {
  const Enumeration all =
      enumerate_executions(program, axioms_of(model), observed,
                           {.budget = std::numeric_limits<uint64_t>::max(), .limits = &env.limits});
  LitmusOutcomes outcomes;
  outcomes.engine = "enumeration";
  for (const auto& [state, executions] : all.states) outcomes.states.push_back({state, executions});
  for (const auto& [name, executions] : all.flags) outcomes.flags.push_back(name);
  if (!all.complete)
    outcomes.reason = all.why_not;
  else if (all.too_long)
    outcomes.reason = "a thread may take too many steps to be enumerated";
  else if (all.too_large)
    outcomes.reason = "a value leaves the 64-bit integers";
  outcomes.complete = outcomes.reason.empty();
  return outcomes;
}

bool something_may_fail(const Program& program) {
  const Ranges ranges = analyze_ranges(program);
  for (size_t t = 0; t < program.threads.size(); ++t)
    for (const Instruction& instruction : program.threads[t].code)
      if (may_fail(program, ranges, ThreadId(t), instruction)) return true;
  return false;
}

Result errors_by(OutcomeEngine engine, const Task& task, Env& env) {
  switch (engine) {
    case OutcomeEngine::kAuto: {
      const auto executions = executions::make_executions_engine();
      if (executions->unsupported_reason(task).empty())
        if (Result result = executions->run(task, env); result.verdict() != Verdict::kUnknown) return result;
      break;
    }
    case OutcomeEngine::kExecutions: {
      const auto executions = executions::make_executions_engine();
      const std::string why = executions->unsupported_reason(task);
      return why.empty() ? executions->run(task, env) : unknown_result(UnknownReason::kUnsupported, why);
    }
    case OutcomeEngine::kSat:
      break;
    case OutcomeEngine::kEnumeration:
      return make_enumeration_engine()->run(task, env);
  }
  return sat::make_sat_engine()->run(task, env);
}

}  // namespace

std::string executions_without_an_end(const Program& program, const MemoryModel& model,
                                      const LitmusOutcomes& outcomes, Env& env, OutcomeEngine engine) {
  if (something_may_fail(program)) {
    // What the model flags is no error; it is reported beside the states.
    CatModel without_flags = axioms_of(model);
    const size_t all = without_flags.constraints.size();
    std::erase_if(without_flags.constraints, [](const Constraint& constraint) { return constraint.flag; });
    MemoryModel without = model;
    if (without_flags.constraints.size() != all) without.cat = &without_flags;
    const FenceSet no_fences;
    const Property errors{"errors", PropertyKind::kNoErrors, ExprId(), {}};
    const Result result = errors_by(engine, {program, no_fences, without, errors}, env);
    if (result.verdict() == Verdict::kViolated)
      return "an execution fails: " + to_string(final_error(result));
    if (result.verdict() == Verdict::kUnknown)
      return "it is not known whether an execution fails: " + result.reason;
  }
  return outcomes.states.empty() ? "no execution that the model allows terminates" : "";
}

LitmusOutcomes final_outcomes(const Program& program, const MemoryModel& model,
                              std::span<const ExprId> observed, Env& env, OutcomeEngine engine) {
  switch (engine) {
    case OutcomeEngine::kAuto:
    case OutcomeEngine::kExecutions: {
      ExploredOutcomes explored = explored_outcomes(program, model, observed, env);
      switch (explored.end) {
        case ExploredOutcomes::End::kDone:
          return std::move(explored.outcomes);
        case ExploredOutcomes::End::kLoadBuffering:
          break;
        case ExploredOutcomes::End::kNotPossible:
          if (engine == OutcomeEngine::kExecutions) return std::move(explored.outcomes);
          break;
      }
      return solved_outcomes(program, model, observed, env);
    }
    case OutcomeEngine::kSat:
      return solved_outcomes(program, model, observed, env, 0);
    case OutcomeEngine::kEnumeration:
      return enumerated_outcomes(program, model, observed, env);
  }
  throw Bug("an engine without a name");
}

}  // namespace fenceline::engine
