// SPDX-License-Identifier: GPL-3.0-or-later
//
// All final states of a program, by solver queries for an execution that differs from all found before. Two
// executions are different if a load reads from another store, if the stores to a cell are in another order,
// or if another alternative or value was chosen where the program leaves that open.
#include <fmt/format.h>

#include <map>
#include <set>

#include "base/counted.h"
#include "engine/enumeration/enumerate.h"
#include "engine/outcomes/final_outcomes.h"
#include "engine/sat/early_stores.h"
#include "engine/sat/formula.h"
#include "engine/sat/options.h"
#include "engine/sat/preserved_order.h"
#include "engine/sat/unrolling.h"
#include "env/errors.h"

namespace fenceline::engine {
namespace {

class OutcomeQuery {
 public:
  OutcomeQuery(const Program& program, const MemoryModel& model, std::span<const ExprId> observed, Env& env,
               uint64_t counting)
      : overlay_(program, no_fences_),
        axioms_(axioms_of(model)),
        may_have_thin_air_values_(model.buffering == Buffering::kNoMachine && !axioms_.uses("data")),
        observed_(observed),
        env_(env),
        counting_(counting),
        unrolling_(env.options.of<sat::SatOptions>().bound) {
    if (!sat::keeps_control_dependencies(axioms_))
      self_justified_loop_ =
          sat::loop_with_early_stores(overlay_, sat::liveness_for(program, nullptr), axioms_).has_value();
  }

  LitmusOutcomes run() {
    outcomes_.engine = "sat";
    for (;;) {
      sat::Formula formula(overlay_, axioms_, nullptr, unrolling_.bounds(), {.keep_one = keep_one_});
      switch (unrolling_.raise(formula, env_.limits)) {
        case sat::Unrolling::Answer::kRaised:
          continue;
        case sat::Unrolling::Answer::kLimit:
          outcomes_.reason = env_.limits.describe(env_.limits.poll());
          return std::move(outcomes_);
        case sat::Unrolling::Answer::kAtLargest:
          outcomes_.reason = fmt::format("{}, beyond {} (--bound)", unrolling_.what_exceeds(),
                                         counted(env_.options.of<sat::SatOptions>().bound, "time"));
          break;
        case sat::Unrolling::Answer::kEnough:
          if (keep_one_.empty() && !(keep_one_ = formula.loops_with_flags()).empty()) continue;
          break;
      }
      enumerate(formula);
      return std::move(outcomes_);
    }
  }

 private:
  // States first, by the solver; then the number of executions for each, by enumerating them with code that
  // shares nothing with this. Where there are too many, the solver counts them too.
  void enumerate(sat::Formula& formula) {
    for (const ExprId id : observed_) values_.push_back(formula.final_value(id));
    if (self_justified_loop_ && outcomes_.reason.empty())
      outcomes_.reason = "a later store may cause more iterations of a loop (docs/engine-sat.md)";
    if (!count_by_enumeration(formula)) count(formula);
    for (const auto& [state, executions] : states_) outcomes_.states.push_back({state, executions});
    outcomes_.complete = outcomes_.reason.empty();
  }

  std::vector<Value> state_of(const sat::Solver& solver) const {
    std::vector<Value> state;
    for (const sat::Number& value : values_) state.push_back(sat::number(solver, value.bits));
    return state;
  }

  // False if it cannot be done.
  bool count_by_enumeration(sat::Formula& formula) {
    if (!outcomes_.reason.empty()) return false;
    Enumeration counted;
    try {
      counted = enumerate_executions(overlay_.program(), axioms_, observed_,
                                     {.budget = counting_, .limits = &env_.limits});
    } catch (const Unsupported&) {
      return false;
    }
    if (!counted.complete || counted.too_long || counted.too_large) return false;
    sat::Circuit& circuit = formula.circuit();
    sat::Solver& solver = formula.solver();
    const sat::Lit here = circuit.fresh();  // what is added below is for this query only
    size_t found = 0;
    sat::SatAnswer answer;
    while ((answer = solver.solve({formula.complete(), here}, env_.limits)) == sat::SatAnswer::kSatisfiable) {
      ++found;
      const std::vector<Value> state = state_of(solver);
      if (!counted.states.contains(state)) {
        if (may_have_thin_air_values_) return false;
        throw Bug("the solver finds a final state that the enumeration does not");
      }
      std::vector<sat::Lit> another{!here};
      for (size_t i = 0; i < values_.size(); ++i)
        another.push_back(!formula.arithmetic().equal(values_[i].bits, sat::Arithmetic::constant(state[i])));
      circuit.require(another);
    }
    if (answer == sat::SatAnswer::kLimit) return false;
    if (found != counted.states.size() && may_have_thin_air_values_) return false;
    if (found != counted.states.size())
      throw Bug("the enumeration finds a final state that the solver does not");
    states_ = std::move(counted.states);
    for (const auto& [name, executions] : counted.flags) outcomes_.flags.push_back(name);
    return true;
  }

  void count(sat::Formula& formula) {
    sat::Solver& solver = formula.solver();
    std::set<std::string> raised;
    sat::SatAnswer answer;
    for (const Constraint& constraint : axioms_.constraints) {
      if (!constraint.flag || raised.contains(constraint.name)) continue;
      answer = solver.solve({formula.complete(), formula.relations().flagged(constraint)}, env_.limits);
      if (answer == sat::SatAnswer::kSatisfiable) raised.insert(constraint.name);
    }
    const std::vector<sat::Lit> chosen = choices(formula);
    while ((answer = solver.solve({formula.complete()}, env_.limits)) == sat::SatAnswer::kSatisfiable) {
      ++states_[state_of(solver)];
      std::vector<sat::Lit> another;
      for (const sat::Lit literal : chosen)
        if (solver.value(literal)) another.push_back(!literal);
      solver.add(another);
    }
    outcomes_.flags.assign(raised.begin(), raised.end());
    if (answer == sat::SatAnswer::kLimit) outcomes_.reason = env_.limits.describe(env_.limits.poll());
  }

  // What makes executions different: where reads read, how writes are ordered, what was chosen. If all that
  // holds in one of them holds in another, too, the two are the same: what is not executed reads nothing, and
  // of a number that was chosen there is a literal for each bit, whatever its value.
  static std::vector<sat::Lit> choices(sat::Formula& formula) {
    std::vector<sat::Lit> literals;
    const auto add = [&](sat::Lit literal) {
      if (!literal.constant()) literals.push_back(literal);
    };
    const sat::EventRelations& events = formula.events();
    for (size_t x = 0; x < events.events(); ++x)
      for (size_t y = 0; y < events.events(); ++y) {
        add(events.reads_from(x, y));
        add(events.coherence(x, y));
      }
    const sat::EncodedThreads& threads = formula.threads();
    for (size_t node = 0; node < threads.taken.size(); ++node) {
      const sat::Unfolding::Node& here = formula.unfolding().nodes()[node];
      if (here.beyond) continue;
      if (formula.overlay().at(here.thread, here.point).kind != InstrKind::kChoose) continue;
      for (const sat::Lit taken : threads.taken[node]) add(taken);
    }
    for (const auto& [node, value] : threads.havocs)
      for (const sat::Lit bit : value.bits.lits) {
        if (bit.constant()) continue;
        add(formula.circuit().both(threads.reached[node], bit));
        add(formula.circuit().both(threads.reached[node], !bit));
      }
    return literals;
  }

  const FenceSet no_fences_;
  Overlay overlay_;
  CatModel axioms_;
  // Then there may be executions that only one of the two methods finds: each tries other values.
  const bool may_have_thin_air_values_;
  bool self_justified_loop_ = false;  // some loop may have iterations that a later store of its thread causes
  std::span<const ExprId> observed_;
  Env& env_;
  uint64_t counting_;
  sat::Unrolling unrolling_;
  sat::LoopSet keep_one_;  // loops of which idle iterations are kept, for the flags that they may raise
  std::vector<sat::Number> values_;  // of the observed expressions
  std::map<std::vector<Value>, uint64_t> states_;
  LitmusOutcomes outcomes_;
};

}  // namespace

LitmusOutcomes solved_outcomes(const Program& program, const MemoryModel& model,
                               std::span<const ExprId> observed, Env& env, uint64_t counting) {
  return OutcomeQuery(program, model, observed, env, counting).run();
}

}  // namespace fenceline::engine
