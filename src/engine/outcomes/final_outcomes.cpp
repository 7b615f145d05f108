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
#include "engine/sat/sat_engine.h"
#include "engine/sat/unrolling.h"
#include "env/errors.h"
#include "ir/analysis/ranges.h"

namespace fenceline {
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
        unrolling_(env.options.of<SatOptions>().bound) {
    if (!keeps_control_dependencies(axioms_))
      self_justified_loop_ =
          loop_with_early_stores(overlay_, liveness_for(program, nullptr), axioms_).has_value();
  }

  LitmusOutcomes run() {
    for (;;) {
      Formula formula(overlay_, axioms_, nullptr, unrolling_.bounds(), {.keep_one = keep_one_});
      switch (unrolling_.raise(formula, env_.limits)) {
        case Unrolling::Answer::kRaised:
          continue;
        case Unrolling::Answer::kLimit:
          outcomes_.reason = env_.limits.describe(env_.limits.poll());
          return std::move(outcomes_);
        case Unrolling::Answer::kAtLargest:
          outcomes_.reason = fmt::format("{} can iterate more than {} (--bound)", unrolling_.unbounded_loop(),
                                         counted(env_.options.of<SatOptions>().bound, "time"));
          break;
        case Unrolling::Answer::kEnough:
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
  void enumerate(Formula& formula) {
    for (const ExprId id : observed_) values_.push_back(formula.final_value(id));
    if (self_justified_loop_ && outcomes_.reason.empty())
      outcomes_.reason = "a later store may cause more iterations of a loop (docs/engine-sat.md)";
    if (!count_by_enumeration(formula)) count(formula);
    for (const auto& [state, executions] : states_) outcomes_.states.push_back({state, executions});
    outcomes_.complete = outcomes_.reason.empty();
  }

  std::vector<Value> state_of(const Solver& solver) const {
    std::vector<Value> state;
    for (const Number& value : values_) state.push_back(number(solver, value.bits));
    return state;
  }

  // False if it cannot be done.
  bool count_by_enumeration(Formula& formula) {
    if (!outcomes_.reason.empty()) return false;
    Enumeration counted;
    try {
      counted = enumerate_executions(overlay_.program(), axioms_, observed_,
                                     {.budget = counting_, .limits = &env_.limits});
    } catch (const Unsupported&) {
      return false;
    }
    if (!counted.complete || counted.too_long || counted.too_large) return false;
    Circuit& circuit = formula.circuit();
    Solver& solver = formula.solver();
    const Lit here = circuit.fresh();  // what is added below is for this query only
    size_t found = 0;
    SatAnswer answer;
    while ((answer = solver.solve({formula.complete(), here}, env_.limits)) == SatAnswer::kSatisfiable) {
      ++found;
      const std::vector<Value> state = state_of(solver);
      if (!counted.states.contains(state)) {
        if (may_have_thin_air_values_) return false;
        throw Bug("the solver finds a final state that the enumeration does not");
      }
      std::vector<Lit> another{!here};
      for (size_t i = 0; i < values_.size(); ++i)
        another.push_back(!formula.arithmetic().equal(values_[i].bits, Arithmetic::constant(state[i])));
      circuit.require(another);
    }
    if (answer == SatAnswer::kLimit) return false;
    if (found != counted.states.size() && may_have_thin_air_values_) return false;
    if (found != counted.states.size())
      throw Bug("the enumeration finds a final state that the solver does not");
    states_ = std::move(counted.states);
    for (const auto& [name, executions] : counted.flags) outcomes_.flags.push_back(name);
    return true;
  }

  void count(Formula& formula) {
    Solver& solver = formula.solver();
    std::vector<std::pair<std::string, Lit>> flags;
    for (const Constraint& constraint : axioms_.constraints)
      if (constraint.flag) flags.emplace_back(constraint.name, formula.relations().flagged(constraint));
    const std::vector<Lit> chosen = choices(formula);
    std::set<std::string> raised;
    SatAnswer answer;
    while ((answer = solver.solve({formula.complete()}, env_.limits)) == SatAnswer::kSatisfiable) {
      ++states_[state_of(solver)];
      for (const auto& [name, flag] : flags)
        if (solver.value(flag)) raised.insert(name);
      std::vector<Lit> another;
      for (const Lit literal : chosen)
        if (solver.value(literal)) another.push_back(!literal);
      solver.add(another);
    }
    outcomes_.flags.assign(raised.begin(), raised.end());
    if (answer == SatAnswer::kLimit) outcomes_.reason = env_.limits.describe(env_.limits.poll());
  }

  // What makes executions different: where reads read, how writes are ordered, what was chosen. If all that
  // holds in one of them holds in another, too, the two are the same: what is not executed reads nothing, and
  // of a number that was chosen there is a literal for each bit, whatever its value.
  static std::vector<Lit> choices(Formula& formula) {
    std::vector<Lit> literals;
    const auto add = [&](Lit literal) {
      if (!literal.constant()) literals.push_back(literal);
    };
    const EventRelations& events = formula.events();
    for (size_t x = 0; x < events.events(); ++x)
      for (size_t y = 0; y < events.events(); ++y) {
        add(events.reads_from(x, y));
        add(events.coherence(x, y));
      }
    const EncodedThreads& threads = formula.threads();
    for (size_t node = 0; node < threads.taken.size(); ++node) {
      const Unfolding::Node& here = formula.unfolding().nodes()[node];
      if (here.beyond) continue;
      if (formula.overlay().at(here.thread, here.point).kind != InstrKind::kChoose) continue;
      for (const Lit taken : threads.taken[node]) add(taken);
    }
    for (const auto& [node, value] : threads.havocs)
      for (const Lit bit : value.bits.lits) {
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
  Unrolling unrolling_;
  LoopSet keep_one_;            // loops of which idle iterations are kept, for the flags that they may raise
  std::vector<Number> values_;  // of the observed expressions
  std::map<std::vector<Value>, uint64_t> states_;
  LitmusOutcomes outcomes_;
};

bool something_may_fail(const Program& program) {
  const Ranges ranges = analyze_ranges(program);
  for (size_t t = 0; t < program.threads.size(); ++t)
    for (const Instruction& instruction : program.threads[t].code)
      if (may_fail(program, ranges, ThreadId(t), instruction)) return true;
  return false;
}

}  // namespace

std::string executions_without_an_end(const Program& program, const MemoryModel& model,
                                      const LitmusOutcomes& outcomes, Env& env) {
  if (something_may_fail(program)) {
    // What the model flags is no error; it is reported beside the states.
    CatModel without_flags = axioms_of(model);
    const size_t all = without_flags.constraints.size();
    std::erase_if(without_flags.constraints, [](const Constraint& constraint) { return constraint.flag; });
    MemoryModel without = model;
    if (without_flags.constraints.size() != all) without.cat = &without_flags;
    const FenceSet no_fences;
    const Property errors{"errors", PropertyKind::kNoErrors, ExprId(), {}};
    const Result result = make_sat_engine()->run({program, no_fences, without, errors}, env);
    if (result.verdict() == Verdict::kViolated) return "an execution fails: " + final_error(result);
    if (result.verdict() == Verdict::kUnknown)
      return "it is not known whether an execution fails: " + result.reason;
  }
  return outcomes.states.empty() ? "no execution that the model allows terminates" : "";
}

LitmusOutcomes final_outcomes(const Program& program, const MemoryModel& model,
                              std::span<const ExprId> observed, Env& env, uint64_t counting) {
  return OutcomeQuery(program, model, observed, env, counting).run();
}

}  // namespace fenceline
