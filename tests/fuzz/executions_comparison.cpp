// SPDX-License-Identifier: GPL-3.0-or-later
#include "executions_comparison.h"

#include <fmt/format.h>

#include <initializer_list>
#include <map>
#include <optional>
#include <string_view>
#include <utility>
#include <vector>

#include "engine/enumeration/enumerate.h"
#include "engine/enumeration/possible_values.h"
#include "engine/executions/explorable_program.h"
#include "engine/executions/load_buffering.h"
#include "engine/executions/requirements.h"
#include "engine/options.h"
#include "engine/outcomes/final_outcomes.h"
#include "engine/portfolio/portfolio.h"
#include "engine/sat/options.h"
#include "engine/sat/preserved_order.h"
#include "env/errors.h"
#include "env/silent_env.h"
#include "ir/analysis/constructs.h"
#include "model/cat/cat.h"
#include "sat_adapter.h"

namespace fenceline::fuzz {
namespace {

constexpr uint64_t kMemory = uint64_t{1} << 30;
constexpr uint64_t kEnumerated = 200'000;  // steps

class Comparison {
 public:
  Comparison(const Program& program, const std::string& name, const ComparisonSettings& settings,
             KnownLimits& known, Tally* tally)
      : program_(program),
        name_(name),
        settings_(settings),
        known_(known),
        tally_(tally),
        tested_(name, ""),
        axioms_(axioms_of(tested_.model)) {
    observed_ = observe_all(program_);
  }

  std::string run() {
    std::string found = miscounted();
    if (settings_.outcomes && found.empty()) found = different_outcomes();
    if (settings_.verdicts && found.empty())
      found = contradiction({"errors", PropertyKind::kNoErrors, ExprId(), SourcePos()});
    if (settings_.verdicts && found.empty() && !program_.properties.empty())
      found = contradiction(program_.properties.front());
    return found;
  }

 private:
  // ---- Executions, counted

  using States = std::map<std::vector<Value>, uint64_t>;

  static std::string to_text(const States& states) {
    std::string text;
    for (const auto& [values, number] : states)
      text += fmt::format(" [{}]x{}", fmt::join(values, " "), number);
    constexpr size_t kShown = 2000;
    if (text.size() > kShown) text = text.substr(0, kShown) + "...";
    return text;
  }

  static CatModel without_cycles(const CatModel& axioms) {
    CatModel model = axioms;
    const CatModel more = load_cat({"cycle.cat", "acyclic po | rmw | rf as cycle\n"});
    const size_t first = model.terms.size();
    for (Term term : more.terms) {
      if (term.a.valid()) term.a = TermId(term.a.index() + first);
      if (term.b.valid()) term.b = TermId(term.b.index() + first);
      model.terms.push_back(term);
    }
    for (Constraint constraint : more.constraints) {
      constraint.term = TermId(constraint.term.index() + first);
      model.constraints.push_back(constraint);
    }
    return model;
  }

  // Of the complete executions, by the values of all variables and registers. Nothing if there are too many.
  std::optional<States> explored() const {
    const TestedModel planted(name_, settings_.plant);
    const CatModel axioms = axioms_of(planted.model);
    const FenceSet no_fences;
    const Overlay overlay(program_, no_fences);
    const executions::ModelPlan plan(axioms, overlay);
    const executions::ThreadCode code(overlay, plan.uses_dependencies(), {});
    Limits limits(settings_.seconds, kMemory);
    States states;
    const auto result = executions::explore(
        code, plan, {.stop_at_errors = false, .limits = &limits, .restart = [&] { states.clear(); }},
        [&](const executions::Leaf& leaf) {
          if (leaf.kind != executions::LeafKind::kComplete) return true;
          std::vector<Value> values;
          for (const ExprId id : observed_) values.push_back(executions::value_at(leaf, program_, id).value);
          ++states[values];
          return true;
        });
    if (settings_.plant == "lost-execution" && result.executions > 20) --states.rbegin()->second;
    if (!result.finished || result.too_large || result.too_long) return std::nullopt;
    return states;
  }

  // The enumeration comes first: it fails at once where a thread may spin, and then there is nothing to compare with.
  std::string miscounted() {
    if (has_sync(program_) || !known_.enumerable) return "";
    if (!executions::unsuitable_constraint(axioms_).empty()) return "";
    const bool acyclic = sat::forbids_load_buffering(axioms_);
    Limits limits(settings_.seconds, kMemory);
    const engine::Enumeration all = engine::enumerate_executions(
        program_, acyclic ? axioms_ : without_cycles(axioms_), observed_, enumeration_limits(limits));
    enumerable_ = is_whole(all);
    if (name_ == "sc") known_.enumerable = enumerable_;
    if (!enumerable_) return "";
    if (acyclic) enumerated_ = printed(all);
    std::optional<States> mine;
    try {
      mine = explored();
    } catch (const Unsupported&) {
    }
    if (!mine) return "";
    count("counted");
    count("executions", all.executions);
    if (*mine != all.states)
      return fmt::format("{}: explored{}, enumerated{}", name_, to_text(*mine), to_text(all.states));
    return acyclic ? "" : missed_cycle(all);
  }

  static engine::EnumerationLimits enumeration_limits(Limits& limits) {
    return {.budget = kEnumerated, .limits = &limits, .whole = true};
  }

  static bool is_whole(const engine::Enumeration& all) {
    return all.complete && !all.too_long && !all.too_large;
  }

  // Are there executions with a cycle of program order and rf, although the analysis excludes them? `acyclic` are those
  // without.
  std::string missed_cycle(const engine::Enumeration& acyclic) {
    const FenceSet no_fences;
    const Overlay overlay(program_, no_fences);
    const bool possible = settings_.plant != "lost-cycle" && executions::may_buffer_loads(overlay, axioms_);
    Limits limits(settings_.seconds, kMemory);
    const std::optional<check::CellValues> values = engine::possible_values(overlay);
    if (!values) return "";
    const engine::Enumeration all = engine::enumerate_executions(
        overlay, axioms_, observed_, {.values = &*values, .limits = enumeration_limits(limits)},
        [](const engine::EnumeratedExecution&) { return true; });
    if (!is_whole(all)) return "";
    enumerated_ = printed(all);
    const bool exists = all.executions != acyclic.executions;
    count(exists ? "cycles exist" : possible ? "cycles not excluded" : "cycles excluded");
    return exists && !possible ? fmt::format("{}: a cycle that was excluded", name_) : "";
  }

  // ---- What `litmus` prints

  struct Printed {
    std::string engine;  // that was asked
    LitmusOutcomes outcomes;
    States states;
  };

  Printed printed(engine::OutcomeEngine engine, const char* name) const {
    Options options;
    options.of<sat::SatOptions>().bound = 4;
    Limits limits(settings_.seconds, kMemory);
    SilentEnv env(options, limits);
    Printed result{name, {}, {}};
    try {
      result.outcomes = engine::final_outcomes(program_, tested_.model, observed_, env, engine);
    } catch (const Unsupported& unsupported) {
      result.outcomes.reason = unsupported.what();
    }
    for (const LitmusState& state : result.outcomes.states) result.states[state.values] = state.executions;
    return result;
  }

  // What `litmus` would print of an enumeration.
  static Printed printed(const engine::Enumeration& all) {
    Printed result{"enumeration", {}, all.states};
    for (const auto& [flag, executions] : all.flags) result.outcomes.flags.push_back(flag);
    result.outcomes.complete = true;
    return result;
  }

  // How often an iteration in which a thread waits is counted is each engine's own affair: then there are only states to
  // compare.
  std::string difference(const Printed& mine, const Printed& other, bool counts) const {
    const auto compared = [counts](const Printed& one) {
      States states = one.states;
      if (!counts)
        for (auto& [state, executions] : states) executions = 0;
      return std::pair(states, one.outcomes.flags);
    };
    if (compared(mine) == compared(other)) return "";
    const auto text = [&](const Printed& one) {
      return fmt::format("{} flags [{}]", to_text(compared(one).first), fmt::join(one.outcomes.flags, " "));
    };
    return fmt::format("{}: litmus by {}{}, by {}{}", name_, mine.engine, text(mine), other.engine,
                       text(other));
  }

  std::string different_outcomes() const {
    if (has_sync(program_)) return "";
    Printed mine{"executions", {}, {}};
    if (known_.explorable) mine = printed(engine::OutcomeEngine::kExecutions, "executions");
    if (name_ == "sc") known_.explorable = mine.outcomes.complete;
    if (!mine.outcomes.complete) {
      count("outcomes not complete");
      return "";
    }
    if (settings_.plant == "lost-state" && mine.states.size() > 1) mine.states.erase(mine.states.begin());
    // On models without dependencies methods may differ in values out of thin air, which need load buffering.
    const bool thin_air = mine.outcomes.engine == "sat" && !axioms_.uses("data");
    const Printed solved = printed(engine::OutcomeEngine::kSat, "sat");
    Printed enumerated = enumerated_;
    if (enumerable_ && !enumerated.outcomes.complete)
      enumerated = printed(engine::OutcomeEngine::kEnumeration, "enumeration");
    const bool counts = enumerated.outcomes.complete || !has_loops(program_);
    count(fmt::format("outcomes by {}", mine.outcomes.engine));
    for (const Printed* other : std::initializer_list<const Printed*>{&solved, &enumerated}) {
      if (!other->outcomes.complete || thin_air) continue;
      count(fmt::format("{} compared with {}", counts ? "executions by state" : "states", other->engine));
      if (std::string found = difference(mine, *other, counts); !found.empty()) return found;
    }
    return "";
  }

  // ---- Verdicts

  std::string verdict(std::string_view engine, const Task& task) const {
    Options options;
    options.of<engine::StateSpaceOptions>().buffer_limit = 3;
    options.of<sat::SatOptions>().bound = 4;
    // A thread may stop anywhere when another fails: these enumerations end soon, or far too late.
    const double seconds = engine == "enumeration" ? settings_.seconds / 4 : settings_.seconds;
    return verdict_of(engine, task, options, Limits(seconds, kMemory));
  }

  std::string contradiction(const Property& property) const {
    const FenceSet no_fences;
    const Task task{program_, no_fences, tested_.model, property};
    std::string mine = verdict("executions", task);
    if (settings_.plant == "lost-errors" && mine == "violated") mine = "verified";
    count(mine);
    if (mine == "unknown") return "";
    std::vector<std::string_view> others = {"sat"};
    if (enumerable_) others.emplace_back("enumeration");
    if (tested_.model.buffering != Buffering::kNoMachine) others.emplace_back("explicit");
    for (const std::string_view engine : others) {
      const std::string other = verdict(engine, task);
      if (other == "unknown") continue;
      count(fmt::format("verdicts compared with {}", engine));
      if (mine != other)
        return fmt::format("{}: {}: executions {}, {} {}", name_, property.name, mine, engine, other);
    }
    return "";
  }

  void count(const std::string& what, uint64_t number = 1) const {
    if (tally_ != nullptr) (*tally_)[name_ + " " + what] += number;
  }

  Program program_;
  const std::string& name_;
  const ComparisonSettings& settings_;
  KnownLimits& known_;
  Tally* tally_;
  const TestedModel tested_;
  const CatModel axioms_;
  std::vector<ExprId> observed_;
  bool enumerable_ = false;                    // enumeration ends in time
  Printed enumerated_{"enumeration", {}, {}};  // if it is complete
};

}  // namespace

std::string compare_executions(const Program& program, const std::string& model,
                               const ComparisonSettings& settings, KnownLimits& known, Tally* tally) {
  return Comparison(program, model, settings, known, tally).run();
}

}  // namespace fenceline::fuzz
