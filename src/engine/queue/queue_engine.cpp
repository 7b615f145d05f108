// SPDX-License-Identifier: GPL-3.0-or-later
//
// The queue engine: visit every state of the deferral-queue machine, breadth first, in product with the
// language of correct histories if the property is about transactions. A memory model is a table here
// (model/reorder_table.h); so this is the machine for RMO and for users' tables, and a second one for SC, TSO
// and PSO that shares nothing with the store buffers.
//
// The product is that of the paper's Algorithm 7, with one difference: a thread's steps that no other thread
// can observe are no steps of the search (machine/deferral_queue/thread_rules.h).
#include "engine/queue/queue_engine.h"

#include <fmt/format.h>

#include <set>
#include <utility>
#include <vector>

#include "base/counted.h"
#include "check/replay/queue_replay.h"
#include "engine/options.h"
#include "engine/queue/options.h"
#include "engine/search/search.h"
#include "env/errors.h"
#include "ir/edit/overlay.h"
#include "machine/deferral_queue/queue_support.h"
#include "machine/deferral_queue/queue_system.h"
#include "property/opacity/languages.h"
#include "property/properties.h"

namespace fenceline::engine {
namespace {

class QueueEngine final : public Engine {
 public:
  std::string_view name() const override { return "queue"; }
  std::string_view summary() const override {
    return "explores every state of the deferral-queue machine; decides transactions, rmo and .table models";
  }
  std::string unsupported_reason(const Task& task) const override;
  Priority priority(const Task& task, const Facts& facts) const override {
    if (looks_at_history(task.property.kind)) return {.speed = Priority::Speed::kFast};
    return {Priority::Rank::kDoubtful, "a queue of accesses has many orders", slow_speed(task, facts)};
  }
  Result run(const Task& task, Env& env) const override;
};

std::string QueueEngine::unsupported_reason(const Task& task) const {
  const PropertyKind kind = task.property.kind;
  if (!looks_at_history(kind) && !looks_at_end(kind) && !looks_at_errors(kind))
    return "the queue engine checks only histories, errors and final states";
  const std::optional<ReorderTable> table = table_of(task.model);
  if (!table) return fmt::format("the queue engine has no table for the model {}", task.model.name);
  const std::string why = machine::queue_unsupported_reason(task.program, *table);
  return why.empty() ? "" : fmt::format("the queue engine {}", why);
}

std::unique_ptr<machine::HistoryLanguage> language_of(const Task& task) {
  if (!looks_at_history(task.property.kind)) return nullptr;
  return property::history_language(task.property.kind, history_alphabet(task.program));
}

machine::queue::RuleOptions rules_for(const StateSpaceOptions& options) {
  return {.liveness = options.liveness,
          .run_ahead = !options.reduction,
          .one_by_one = !options.fusing,
          .queue_limit = options.buffer_limit};
}

Result unknown(const Findings& findings, const Env& env) {
  if (findings.limit == LimitReached::kNone && findings.overflow)
    return unknown_result(UnknownReason::kOverflow,
                          "a value exceeds the 64-bit integers, a local computation does not terminate, or a "
                          "timestamp far below others is incremented; the states beyond were not explored");
  if (!findings.SearchEnd::complete())
    return incomplete_result(
        findings, env.limits,
        fmt::format("after {}; no violation was found", counted(findings.states, "state")));
  Result result;
  result.conclusion = Unknown{
      .reason = UnknownReason::kBound,
      .bound = Bound{"waiting accesses per thread", env.options.of<StateSpaceOptions>().buffer_limit}};
  result.reason = fmt::format(
      "queues can grow without bound; no execution with at most {} pending accesses per thread violates the "
      "property",
      env.options.of<StateSpaceOptions>().buffer_limit);
  return result;
}

// The size of the program whose histories were checked: the verdict holds for that size only.
std::string size_of(const Task& task) {
  if (!looks_at_history(task.property.kind)) return "";
  const HistoryAlphabet alphabet = history_alphabet(task.program);
  return fmt::format(" for {} and {}", counted(alphabet.threads, "thread"),
                     counted(alphabet.variables, "variable"));
}

// The monitored positions with an access before them that takes effect after an access behind them: a full
// fence at any one of them would prevent the trace.
std::vector<ViolatedOrdering> violated_orderings(const Task& task, const Replay& replay) {
  const Overlay overlay(task.program, task.fences);
  std::set<ViolatedOrdering> violated;
  const auto add_between = [&](size_t begin, size_t end) {
    for (size_t i = begin; i < end; ++i) {
      const TraceStep& step = replay.steps[i].step;
      if (step.thread != replay.steps[begin].step.thread || step.kind != StepKind::kExecute) continue;
      if (overlay.inserted(step.thread, step.point))
        violated.insert({step.thread, overlay.inserted_after(step.thread, step.point)});
    }
  };
  for (const ReplayedStep& early : replay.steps)
    for (const size_t passed : early.overtaken) add_between(passed, *early.effect.stored_by);
  for (const check::LateAccess& late : check::late_accesses(task, replay))
    add_between(late.issued, late.reported);
  return {violated.begin(), violated.end()};
}

// The search, with what it needs.
struct Exploration {
  Exploration(const Task& task, Env& env, const machine::queue::RuleOptions& rules, bool use_symmetry)
      : language(language_of(task)),
        symmetry(symmetry_of(task, env, use_symmetry)),
        system(task.program, task.fences, table_of(task.model).value(), language.get(),
               property::observed_by(task.program, task.property), rules, symmetry.get()),
        search(system, task.program, &task.property, {static_cast<unsigned>(env.options.jobs), 0}, env.limits,
               env.progress),
        findings(search.run()) {}  // throws queue::NotSymmetric if threads are not as alike as they look

  static std::unique_ptr<machine::queue::ThreadSymmetry> symmetry_of(const Task& task, const Env& env,
                                                                     bool use) {
    if (!use) return nullptr;
    auto symmetry = std::make_unique<machine::queue::ThreadSymmetry>(task.program);
    symmetry->counts_states = env.options.of<StateSpaceOptions>().check_reduction;
    return symmetry;
  }

  const std::unique_ptr<machine::HistoryLanguage> language;
  const std::unique_ptr<machine::queue::ThreadSymmetry> symmetry;
  const machine::QueueSystem system;
  Search search;
  const Findings findings;
};

// Compares with searches that reduce less, down to one that reduces nothing. A difference is a bug, never a
// verdict.
void check_reduction(const Task& task, Env& env, const Exploration& reduced, Statistics& statistics) {
  const Findings& few = reduced.findings;
  double compared = 0;
  const auto compare = [&](const char* name, const machine::queue::RuleOptions& rules) {
    const Findings all = Exploration(task, env, rules, false).findings;
    statistics.figures.emplace_back(name, static_cast<double>(all.states));
    if (all.limit != LimitReached::kNone || few.limit != LimitReached::kNone) return;
    ++compared;
    const Findings& not_found = all.found ? few : all;
    require(all.found == few.found || !not_found.complete(), "a reduction changed the verdict");
    if (all.found || !all.complete() || !few.complete() ||
        rules != rules_for(env.options.of<StateSpaceOptions>()))
      return;
    require(!reduced.symmetry || !reduced.symmetry->any() || reduced.symmetry->states == all.states,
            "the representatives do not represent all states");
  };
  machine::queue::RuleOptions rules = rules_for(env.options.of<StateSpaceOptions>());
  compare("states_without_symmetry", rules);
  rules.liveness = false;
  rules.run_ahead = true;
  compare("states_with_all_registers", rules);
  rules.one_by_one = true;
  compare("full_states", rules);
  statistics.figures.emplace_back("searches_compared", compared);
}

Result violated(const Task& task, const Exploration& exploration) {
  TraceCounterexample found{.trace = exploration.search.trace(), .replay = {}, .shortest = true};
  found.replay = check::replay_queues(task, found.trace);
  Result result;
  if (found.replay.ok) {
    found.violated_orderings = violated_orderings(task, found.replay);
    result.conclusion = std::move(found);
    result.reason = "an execution of the deferral-queue machine violates the property";
  } else {
    if (!exploration.system.merges_stores()) throw Bug("a trace does not replay: " + found.replay.why_not);
    result = unknown_result(
        UnknownReason::kSpurious,
        "the counterexample has summarised stores, and none was found with a fixed number of them");
  }
  return result;
}

Result decide(const Task& task, Env& env, bool use_symmetry) {
  const Exploration exploration(task, env, rules_for(env.options.of<StateSpaceOptions>()), use_symmetry);
  const Findings& findings = exploration.findings;
  const machine::QueueSystem& system = exploration.system;

  Statistics statistics;
  statistics.states = findings.states;
  statistics.transitions = findings.transitions;
  statistics.figures = {
      {"levels", static_cast<double>(findings.levels)},
      {"local_states", static_cast<double>(system.local_states())},
      {"names_of_threads", exploration.symmetry ? static_cast<double>(exploration.symmetry->size()) : 1.0}};
  if (env.options.of<StateSpaceOptions>().check_reduction)
    check_reduction(task, env, exploration, statistics);

  Result result;
  if (findings.found) {
    result = violated(task, exploration);
  } else if (findings.complete() && exploration.language != nullptr && !system.something_finished()) {
    result = unknown_result(
        UnknownReason::kVacuous,
        "no execution finishes a read or commits a transaction, so the property would hold vacuously");
  } else if (findings.complete()) {
    result.conclusion = Proof();
    result.reason = fmt::format("all {} reachable states were explored{}", findings.states, size_of(task));
  } else {
    result = unknown(findings, env);
  }
  result.statistics = std::move(statistics);
  return result;
}

Result QueueEngine::run(const Task& task, Env& env) const {
  const bool names_matter = !env.options.of<QueueOptions>().symmetry || !looks_at_history(task.property.kind);
  return measured([&] {
    try {
      return decide(task, env, !names_matter);
    } catch (const machine::queue::NotSymmetric&) {  // the threads are not as alike as they look
      return decide(task, env, false);
    }
  });
}

}  // namespace

std::unique_ptr<Engine> make_queue_engine() { return std::make_unique<QueueEngine>(); }

}  // namespace fenceline::engine
