// SPDX-License-Identifier: GPL-3.0-or-later
//
// All final states of a program, by asking the solver again and again for an execution that is unlike those
// that it has shown. Two executions are different if a load reads from another store or the stores to a cell
// are in another order.
#include <fmt/format.h>

#include <map>

#include "engine/outcomes.h"
#include "engine/sat/formula.h"
#include "env/errors.h"

namespace fenceline {
namespace {

class Enumeration {
 public:
  Enumeration(const Program& program, const MemoryModel& model, std::span<const ExprId> observed, Env& env)
      : overlay_(program, no_fences_), axioms_(axioms_of(model)), observed_(observed), env_(env) {}

  LitmusOutcomes run() {
    for (;;) {
      Formula formula(overlay_, axioms_, nullptr, bounds_, {});
      std::vector<LoopInstance> loops;
      for (const auto& [loop, beyond] : formula.beyond()) {
        const SatAnswer answer = formula.solver().solve({beyond}, env_.limits);
        if (answer == SatAnswer::kLimit) return stopped(env_.limits.describe(env_.limits.poll()));
        if (answer == SatAnswer::kSatisfiable) loops.push_back(loop);
      }
      bool further = !loops.empty();
      for (const LoopInstance& loop : loops) {
        uint32_t& bound = bounds_.emplace(loop, 1).first->second;
        if (bound >= env_.options.bound) {
          outcomes_.reason =
              fmt::format("some loop can go round more than {} times (--bound)", env_.options.bound);
          further = false;
        } else {
          ++bound;
        }
      }
      if (further) continue;
      enumerate(formula);
      return std::move(outcomes_);
    }
  }

 private:
  LitmusOutcomes stopped(std::string reason) {
    outcomes_.reason = std::move(reason);
    return std::move(outcomes_);
  }

  void enumerate(Formula& formula) {
    Solver& solver = formula.solver();
    std::vector<Number> values;
    for (const ExprId id : observed_) values.push_back(formula.final_value(id));
    std::vector<std::pair<std::string, Lit>> flags;
    for (const Constraint& constraint : axioms_.constraints)
      if (constraint.flag) flags.emplace_back(constraint.name, formula.relations().flagged(constraint));
    const std::vector<Lit> chosen = choices(formula.events());

    std::map<std::vector<Value>, uint64_t> states;
    std::map<std::string, bool> raised;
    SatAnswer answer;
    while ((answer = solver.solve({formula.complete()}, env_.limits)) == SatAnswer::kSatisfiable) {
      std::vector<Value> state;
      for (const Number& value : values) state.push_back(number(solver, value.bits));
      ++states[state];
      for (const auto& [name, flag] : flags)
        if (solver.value(flag)) raised[name] = true;
      std::vector<Lit> another;
      for (const Lit literal : chosen)
        if (solver.value(literal)) another.push_back(!literal);
      solver.add(another);
    }
    for (const auto& [state, executions] : states) outcomes_.states.push_back({state, executions});
    for (const auto& [name, is] : raised) outcomes_.flags.push_back(name);
    if (answer == SatAnswer::kLimit) outcomes_.reason = env_.limits.describe(env_.limits.poll());
    outcomes_.complete = outcomes_.reason.empty();
  }

  // What makes executions different: where reads read and how writes are ordered.
  static std::vector<Lit> choices(const EventRelations& events) {
    std::vector<Lit> literals;
    for (size_t x = 0; x < events.events(); ++x)
      for (size_t y = 0; y < events.events(); ++y)
        for (const Lit literal : {events.reads_from(x, y), events.coherence(x, y)})
          if (!literal.constant()) literals.push_back(literal);
    return literals;
  }

  const FenceSet no_fences_;
  Overlay overlay_;
  CatModel axioms_;
  std::span<const ExprId> observed_;
  Env& env_;
  LoopBounds bounds_;
  LitmusOutcomes outcomes_;
};

}  // namespace

LitmusOutcomes final_outcomes(const Program& program, const MemoryModel& model,
                              std::span<const ExprId> observed, Env& env) {
  return Enumeration(program, model, observed, env).run();
}

}  // namespace fenceline
