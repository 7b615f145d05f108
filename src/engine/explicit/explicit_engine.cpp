// SPDX-License-Identifier: GPL-3.0-or-later
//
// The explicit engine: visit every reachable state of the exact machine, breadth first. It is the simplest
// engine, and the reference for all others.
//
// A violation found with partial-order reduction is real but its trace may contain steps that are there only
// because of the reduction. So a second, unreduced search looks for a shortest trace, within a budget:
// violations tend to be shallow, and breadth-first search without reduction finds the shallowest one first.
//
// Buffers are unbounded. If some loop can fill one without end the search would not terminate; then a store is
// blocked while its thread has --buffer-limit pending stores, and if that ever happens and nothing is violated
// the answer is `unknown`, with the loop that fills the buffer.
#include "engine/explicit/explicit_engine.h"

#include <fmt/format.h>

#include <optional>

#include "base/counted.h"
#include "check/replay/replay.h"
#include "engine/options.h"
#include "engine/search/search.h"
#include "env/errors.h"
#include "machine/store_buffer/system.h"
#include "property/properties.h"

namespace fenceline::engine {
namespace {

// A first look takes a few milliseconds, and decides most tasks whose state space turns out to be small. A state of many
// threads has many successors, and few of their state spaces are small.
uint64_t first_look_states(const Task& task) { return task.program.threads.size() <= 6 ? 5'000 : 1'000; }

// The search for a shortest trace may visit so many states more than the reduced search did, and this many.
constexpr uint64_t kShorteningFactor = 8;
constexpr uint64_t kShorteningStates = 200'000;

class ExplicitEngine final : public Engine {
 public:
  std::string_view name() const override { return "explicit"; }
  std::string_view summary() const override {
    return "explores every state of the exact machine; decides programs with finitely many states (sc tso "
           "pso)";
  }
  std::string unsupported_reason(const Task& task) const override;
  Priority priority(const Task& task, const Facts& facts) const override;
  std::optional<Result> first_look(const Task& task, Env& env) const override;
  Result run(const Task& task, Env& env) const override;
};

std::string ExplicitEngine::unsupported_reason(const Task& task) const {
  if (std::string why = transactions_unsupported(*this, task); !why.empty()) return why;
  if (std::string why = wide_stores_unsupported(*this, task); !why.empty()) return why;
  if (task.property.kind == PropertyKind::kLiveness)
    if (std::string why = property::liveness_undecided(task.program); !why.empty()) return why;
  const std::string why = machine::store_buffer_unsupported_reason(task.program, task.model);
  return why.empty() ? "" : fmt::format("the explicit engine {}", why);
}

Priority ExplicitEngine::priority(const Task& task, const Facts& facts) const {
  Priority priority = Engine::priority(task, facts);
  if (priority.rank == Priority::Rank::kGood && facts.growing_buffers())
    priority = {Priority::Rank::kDoubtful, "store buffers can grow without bound"};
  if (task.property.kind == PropertyKind::kNoErrors && facts.many_threads() && !facts.monitored_positions())
    return {Priority::Rank::kDoubtful, "many threads: a machine may have more states than executions",
            Priority::Speed::kSlow};
  // What can grow without bound by the analysis of single threads often does not when they run together.
  if (task.property.kind != PropertyKind::kObservations) priority.speed = Priority::Speed::kFast;
  return priority;
}

machine::SystemOptions options_for(const Task& task, const StateSpaceOptions& options, bool reduce) {
  const bool keep_dead =
      task.property.kind == PropertyKind::kLiveness && property::WaitAnalysis::keeps_registers(task.program);
  return {.fuse = options.fusing,
          .reduce = reduce,
          .liveness = options.liveness && !keep_dead,
          .buffer_limit = options.buffer_limit};
}

// One search of the machine, with or without reduction.
class Exploration {
 public:
  Exploration(const Task& task, Env& env, bool reduce, uint64_t state_budget, unsigned jobs)
      : system_(property::system_for(task, options_for(task, env.options.of<StateSpaceOptions>(), reduce))),
        search_(system_, task.program, &task.property, {jobs, state_budget}, env.limits, env.progress) {
    std::optional<property::WaitAnalysis> analysis;
    if (task.property.kind == PropertyKind::kLiveness)
      search_.wait_analysis = &analysis.emplace(system_.code().overlay());
    search_.prediction = env.prediction;
    findings_ = search_.run();
    search_.wait_analysis = nullptr;
  }

  const Findings& findings() const { return findings_; }
  const std::optional<machine::Growth>& growth() const { return system_.growth(); }
  Trace trace() const { return search_.trace(); }

 private:
  machine::System system_;
  Search search_;
  Findings findings_;
};

Result unknown(const Task& task, const Exploration& exploration, const Env& env) {
  const Findings& findings = exploration.findings();
  if (!findings.SearchEnd::complete())
    return incomplete_result(
        findings, env.limits,
        fmt::format("after {}; no violation was found", counted(findings.states, "state")));
  if (findings.undecided_wait)
    return unknown_result(UnknownReason::kImprecise,
                          "in some state it is not known whether a thread waits for ever: what it does alone "
                          "takes too many steps");
  const machine::Growth& growth = exploration.growth().value();
  const Thread& thread = task.program.thread(growth.thread);
  Result result;
  result.conclusion =
      Unknown{.reason = UnknownReason::kBound,
              .bound = Bound{"waiting stores per thread", env.options.of<StateSpaceOptions>().buffer_limit}};
  result.reason = fmt::format(
      "store buffers can grow without bound: {} can repeat the store in line {} without draining its buffer; "
      "no execution with at most {} pending stores per thread violates the property",
      thread.name, thread.at(growth.store).pos.line, env.options.of<StateSpaceOptions>().buffer_limit);
  return result;
}

// Compares the reduced search with the full one. A difference is a Bug, never a verdict.
void check_reduction(const Task& task, Env& env, const Findings& reduced, Statistics& statistics) {
  const Exploration full(task, env, false, 0, static_cast<unsigned>(env.options.jobs));
  const Findings& all = full.findings();
  statistics.figures.emplace_back("full_states", static_cast<double>(all.states));
  statistics.figures.emplace_back("full_transitions", static_cast<double>(all.transitions));
  if (all.limit != LimitReached::kNone || reduced.limit != LimitReached::kNone) return;
  require(all.found == reduced.found, "partial-order reduction changed the verdict");
  if (all.found || !all.complete() || !reduced.complete()) return;
  require(all.terminal_states == reduced.terminal_states && all.terminal_digest == reduced.terminal_digest,
          "partial-order reduction changed the set of states without successors");
  require(all.error_reachable == reduced.error_reachable,
          "partial-order reduction changed the reachable errors");
}

Counterexample counterexample(const Task& task, Env& env, const Exploration& exploration) {
  const bool reduction = env.options.of<StateSpaceOptions>().reduction;
  TraceCounterexample found{.trace = exploration.trace(), .replay = {}, .shortest = !reduction};
  if (reduction) {
    const uint64_t budget = kShorteningStates + kShorteningFactor * exploration.findings().states;
    const Exploration full(task, env, false, budget, 1);
    if (full.findings().found) {
      found.trace = full.trace();
      found.shortest = true;
    }
  }
  found.replay = check::replay(task, found.trace);
  if (!found.replay.ok) throw Bug("a trace does not replay: " + found.replay.why_not);
  return found;
}

Result result_of(const Task& task, Env& env, const Exploration& exploration) {
  const auto& options = env.options.of<StateSpaceOptions>();
  const Findings& findings = exploration.findings();
  Statistics statistics;
  statistics.states = findings.states;
  statistics.transitions = findings.transitions;
  const auto states = static_cast<double>(findings.states);
  statistics.figures = {
      {"levels", static_cast<double>(findings.levels)},
      {"bytes_per_state", states == 0 ? 0.0 : static_cast<double>(findings.bytes) / states}};
  if (options.check_reduction && options.reduction) check_reduction(task, env, findings, statistics);

  Result result;
  if (findings.found) {
    result.conclusion = counterexample(task, env, exploration);
    result.reason = "an execution of the exact machine violates the property";
  } else if (findings.complete()) {
    result.conclusion = Proof();
    result.reason = fmt::format("all {} reachable states were explored", findings.states);
  } else {
    result = unknown(task, exploration, env);
  }
  result.statistics = std::move(statistics);
  return result;
}

Result ExplicitEngine::run(const Task& task, Env& env) const {
  return measured([&] {
    const auto jobs = static_cast<unsigned>(env.options.jobs);
    return result_of(task, env,
                     Exploration(task, env, env.options.of<StateSpaceOptions>().reduction, 0, jobs));
  });
}

std::optional<Result> ExplicitEngine::first_look(const Task& task, Env& env) const {
  Result result = measured([&] {
    const Exploration exploration(task, env, env.options.of<StateSpaceOptions>().reduction,
                                  first_look_states(task), 1);
    if (!exploration.findings().found && !exploration.findings().complete()) return Result();
    return result_of(task, env, exploration);
  });
  if (result.verdict() == Verdict::kUnknown) return std::nullopt;
  return result;
}

}  // namespace

std::unique_ptr<Engine> make_explicit_engine() { return std::make_unique<ExplicitEngine>(); }

}  // namespace fenceline::engine
