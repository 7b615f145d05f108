// SPDX-License-Identifier: GPL-3.0-or-later
#include "engine/executions/cyclic_executions.h"

#include <fmt/format.h>

#include <vector>

#include "engine/sat/early_stores.h"
#include "engine/sat/formula.h"
#include "engine/sat/options.h"
#include "engine/sat/preserved_order.h"
#include "engine/sat/solution.h"
#include "model/memory_model.h"

namespace fenceline::executions {
namespace {

TermId term_of(CatModel& model, const Term& term) {
  for (size_t i = 0; i < model.terms.size(); ++i)
    if (model.terms[i] == term) return TermId(i);
  model.terms.push_back(term);
  return TermId(model.terms.size() - 1);
}

// The model with a flag that is raised if program order and rf have a cycle.
CatModel with_cycle_flag(CatModel model) {
  const auto base = [&](const char* name) {
    Term term;
    term.op = TermOp::kBase;
    term.name = name;
    return term_of(model, term);
  };
  const auto united = [&](TermId a, TermId b) {
    Term term;
    term.op = TermOp::kUnion;
    term.a = a;
    term.b = b;
    return term_of(model, term);
  };
  Constraint cycle;
  cycle.kind = ConstraintKind::kAcyclic;
  cycle.negated = true;
  cycle.flag = true;
  cycle.term = united(united(base("po"), base("rmw")), base("rf"));
  cycle.name = "a cycle of program order and rf";
  model.constraints.push_back(cycle);
  return model;
}

class Query {
 public:
  Query(const Task& task, const Overlay& overlay, const CatModel& axioms, Env& env)
      : task_(task),
        overlay_(overlay),
        axioms_(axioms),
        model_(with_cycle_flag(axioms)),
        env_(env),
        unrolling_(env.options.of<sat::SatOptions>().bound) {}

  CyclicExecutions run() {
    if (!sat::keeps_control_dependencies(axioms_))
      if (const auto loop = sat::loop_with_early_stores(
              overlay_, sat::liveness_for(task_.program, &task_.property), axioms_))
        return unknown(UnknownReason::kModel,
                       fmt::format("a later store may cause more iterations of the loop at {}:{}:{}",
                                   task_.program.file_of(*loop).name, loop->line, loop->column));
    for (;;) {
      sat::Formula formula(overlay_, model_, &task_.property, unrolling_.bounds(), {});
      result_.clauses = formula.solver().clauses();
      if (std::optional<CyclicExecutions> found = find_violation(formula)) return *std::move(found);
      switch (unrolling_.raise(formula, env_.limits)) {
        case sat::Unrolling::Answer::kEnough:
          return result_;
        case sat::Unrolling::Answer::kLimit:
          return limit();
        case sat::Unrolling::Answer::kAtLargest:
          return bounded();
        case sat::Unrolling::Answer::kRaised:
          break;
      }
    }
  }

 private:
  // In the executions within the bounds: nothing if there are none with a cycle, or none of them matters.
  std::optional<CyclicExecutions> find_violation(sat::Formula& formula) {
    const sat::Lit cycle = formula.relations().flagged(model_.constraints.back());
    switch (formula.solver().solve({cycle}, env_.limits)) {
      case sat::SatAnswer::kUnsatisfiable:
        return std::nullopt;
      case sat::SatAnswer::kLimit:
        return limit();
      case sat::SatAnswer::kSatisfiable:
        break;
    }
    std::vector<std::pair<sat::Lit, std::string>> flags;
    for (const Constraint& constraint : axioms_.constraints)
      if (constraint.flag) flags.emplace_back(formula.relations().flagged(constraint), constraint.name);
    const bool errors = looks_at_errors(task_.property.kind);
    std::vector<sat::Lit> violations{formula.violated()};
    if (errors)
      for (const auto& [raised, name] : flags) violations.push_back(raised);
    for (const sat::Lit violation : violations)
      switch (formula.solver().solve({cycle, violation}, env_.limits)) {
        case sat::SatAnswer::kSatisfiable:
          result_.answer = CyclicExecutions::Answer::kViolated;
          result_.execution = sat::Solution(formula).execution();
          return result_;
        case sat::SatAnswer::kLimit:
          return limit();
        case sat::SatAnswer::kUnsatisfiable:
          break;
      }
    flags.emplace_back(formula.undefined(), "");
    for (const auto& [doubt, name] : flags) {
      const sat::SatAnswer answer = formula.solver().solve({cycle, doubt}, env_.limits);
      if (answer == sat::SatAnswer::kLimit) return limit();
      if (answer == sat::SatAnswer::kUnsatisfiable) continue;
      if (name.empty())
        return unknown(
            UnknownReason::kUndefined,
            "the formula of the property has no value in some states (it divides by zero or the like)");
      return unknown(UnknownReason::kModel,
                     fmt::format("the model raises its flag '{}': it does not define such programs", name));
    }
    return std::nullopt;
  }

  CyclicExecutions unknown(UnknownReason reason, std::string why) {
    result_.answer = CyclicExecutions::Answer::kUnknown;
    result_.reason = reason;
    result_.why = std::move(why);
    return result_;
  }
  CyclicExecutions limit() {
    return unknown(UnknownReason::kLimit, env_.limits.describe(env_.limits.poll()));
  }
  CyclicExecutions bounded() {
    const uint64_t bound = env_.options.of<sat::SatOptions>().bound;
    result_.bound = Bound{"rounds of a loop", bound};
    return unknown(UnknownReason::kBound,
                   fmt::format("no violation within bound {}: {} can iterate more often (--bound)", bound,
                               unrolling_.unbounded_loop()));
  }

  const Task& task_;
  const Overlay& overlay_;
  const CatModel& axioms_;
  const CatModel model_;
  Env& env_;
  sat::Unrolling unrolling_;
  CyclicExecutions result_;
};

}  // namespace

CyclicExecutions check_cyclic_executions(const Task& task, const Overlay& overlay, const CatModel& axioms,
                                         Env& env) {
  return Query(task, overlay, axioms, env).run();
}

}  // namespace fenceline::executions
