// SPDX-License-Identifier: GPL-3.0-or-later
//
// The executions engine: explores the execution graphs of the program, each once (exploration.h). Where the program may
// have others, which exploration cannot reach (load_buffering.h), the SAT engine decides. docs/engine-executions.md
// explains the method.
#include "engine/executions/executions_engine.h"

#include <fmt/format.h>

#include <algorithm>
#include <optional>
#include <utility>

#include "base/counted.h"
#include "check/axiomatic/execution_checker.h"
#include "check/replay/replay.h"
#include "engine/executions/explorable_program.h"
#include "engine/executions/exploration.h"
#include "engine/executions/load_buffering.h"
#include "engine/executions/machine_trace.h"
#include "engine/executions/requirements.h"
#include "engine/executions/smaller_execution.h"
#include "engine/sat/preserved_order.h"
#include "engine/sat/sat_engine.h"
#include "env/errors.h"
#include "model/memory_model.h"
#include "property/properties.h"

namespace fenceline::executions {
namespace {

class ExecutionsEngine final : public engine::Engine {
 public:
  std::string_view name() const override { return "executions"; }
  std::string_view summary() const override {
    return "explores the execution graphs that the model's axioms allow, each once; decides C programs with "
           "locks and "
           "queues (every model whose axioms suit it)";
  }
  std::string unsupported_reason(const Task& task) const override;
  engine::Priority priority(const Task& task, const engine::Facts& facts) const override;
  Result run(const Task& task, Env& env) const override;
};

std::string ExecutionsEngine::unsupported_reason(const Task& task) const {
  if (std::string why = engine::unsupported_by_executions(*this, task); !why.empty()) return why;
  if (task.property.kind == PropertyKind::kLiveness)
    if (std::string why = property::liveness_undecided(task.program); !why.empty()) return why;
  if (const std::string why = unsuitable_constraint(axioms_of(task.model)); !why.empty())
    return fmt::format("the executions engine cannot explore {}: {}", task.model.name, why);
  return "";
}

engine::Priority ExecutionsEngine::priority(const Task& task, const engine::Facts& facts) const {
  // Whether a thread waits for ever only one other engine knows, which has infinitely many states where loops count.
  if (task.property.kind == PropertyKind::kLiveness) return {.speed = engine::Priority::Speed::kFast};
  // States of a machine are shared by many executions, but their number grows fast with that of threads.
  if (task.model.buffering != Buffering::kNoMachine && !facts.many_threads())
    return {engine::Priority::Rank::kDoubtful, "few threads: a machine may have fewer states than executions",
            engine::Priority::Speed::kSlow};
  return {.speed = engine::Priority::Speed::kFast};
}

class Decision {
 public:
  Decision(const Task& task, Env& env)
      : task_(task),
        env_(env),
        overlay_(task.program, task.fences),
        axioms_(axioms_of(task.model)),
        program_(overlay_, axioms_, &task.property),
        alone_(overlay_, false, idle_when_alone(program_.wait_loops())),
        retried_(task.program) {}

  Result run() {
    const bool errors = looks_at_errors(task_.property.kind);
    minimising_ = true;
    try {
      explore_for_violations();
    } catch (const Unsupported&) {
      if (!counterexample_) throw;  // what comes after a violation does not count
    }
    minimising_ = false;
    if (finished())
      traversals_ = looks_for_waits()
                        ? program_.traversals_for_waits(result_, env_,
                                                        [this](const Leaf& leaf) { return !all_wait(leaf); })
                        : program_.traversals(result_, errors, env_);
    if (finished() && result_.may_miss_flags && !flag_) look_for_flags();
    // What is left are executions in which program order and rf have a cycle.
    if (is_proof() && !sat::forbids_load_buffering(axioms_) && may_buffer_loads(overlay_, axioms_))
      return by_solver();
    // Where a loop is not recognised as one that waits, the formula may still decide.
    if (looks_for_waits() && !counterexample_ && !flag_ && (result_.too_long || undecided_))
      if (Result solved = by_solver(); solved.verdict() != Verdict::kUnknown) return solved;
    return conclusion();
  }

 private:
  void explore_for_violations() {
    result_ = explore(program_.code(), program_.plan(),
                      {.stop_at_errors = looks_at_errors(task_.property.kind),
                       .looks_for_waits = looks_for_waits(),
                       .symmetric = looks_for_waits() ? nullptr : &program_.symmetric(),
                       .limits = &env_.limits,
                       .bounds = &bounds_,
                       .follow_up = [this](const Leaf& leaf) { return note(leaf); },
                       .jobs = env_.options.jobs},
                      [this](const Leaf& leaf) { return !violates(leaf); });
    if (counterexample_) look_for_smaller();
  }

  bool looks_for_waits() const { return task_.property.kind == PropertyKind::kLiveness; }

  // Those that are raised by accesses of iterations in which a thread waits.
  void look_for_flags() {
    const ExplorationResult more = program_.explore_for_flags(
        looks_at_errors(task_.property.kind), env_, [this](const Leaf& leaf) { return !violates(leaf); },
        [this](const Leaf& leaf) { return note(leaf); });
    result_.finished = more.finished;
    result_.limit = more.limit;
    result_.too_long = result_.too_long || more.too_long;
    result_.too_large = result_.too_large || more.too_large;
  }

  bool finished() const { return result_.finished && !counterexample_; }

  // Does not depend on the order of leaves.
  bool violates(const Leaf& leaf) {
    ++leaves_;
    if (env_.progress.due()) env_.progress.show(fmt::format("{} explored", counted(leaves_, "execution")));
    const bool errors = looks_at_errors(task_.property.kind);
    // To a program that must not fail, a data race and its like are failures.
    if (errors && (leaf.kind == LeafKind::kFailed || !leaf.flags.empty())) return true;
    if (!leaf.flags.empty()) flag_ = std::min(flag_.value_or(leaf.flags.front()), leaf.flags.front());
    if (looks_for_waits()) return all_wait(leaf);
    if (leaf.kind != LeafKind::kComplete || !looks_at_end(task_.property.kind)) return false;
    const Evaluated holds = value_at(leaf, task_.program, task_.property.formula);
    undefined_ = undefined_ || !holds.ok();
    return holds.ok() && holds.value == 0;
  }

  // False: no other violation is wanted.
  bool note(const Leaf& leaf) { return !violates(leaf) || violated(leaf); }

  // Liveness: each thread has ended or waits for ever, some thread waits, and none has ended the program.
  bool all_wait(const Leaf& leaf) {
    if (leaf.kind != LeafKind::kBlocked) return false;
    bool decided = true;
    for (size_t t = 0; t < task_.program.threads.size(); ++t) {
      const ThreadId thread(t);
      if (leaf.ended(thread)) {
        if (overlay_.at(thread, leaf.location(thread)).ends_program) return false;
        continue;
      }
      const Waits waits = leaf.waits(alone_, retried_, thread);
      if (waits == Waits::kGoesOn || waits == Waits::kDoesNotCount) return false;
      if (waits == Waits::kForEver) continue;
      decided = false;
      const std::pair where(thread, leaf.location(thread));
      undecided_ = std::min(undecided_.value_or(where), where);
    }
    return decided;
  }

  // The first violation that is met may be a large one. What follows in the exploration, and what comes first with the
  // threads in the reverse order, may have a smaller one; so much work is done for that.
  static constexpr uint64_t kWork = 100'000;  // events of graphs
  static constexpr size_t kMostOffers = 32;   // violations, each of which is checked

  void look_for_smaller() {
    bounds_.work = kWork;
    offers_ = 0;
    explore(program_.code(), program_.plan(),
            {.stop_at_errors = looks_at_errors(task_.property.kind),
             .reversed = true,
             .symmetric = &program_.symmetric(),
             .limits = &env_.limits,
             .bounds = &bounds_},
            [this](const Leaf& leaf) { return note(leaf); });
  }

  // False: it was the last one that is wanted.
  bool violated(const Leaf& leaf) {
    ExecutionCounterexample found = checked(leaf.execution());
    if (looks_at_errors(task_.property.kind))
      if (std::optional<Execution> less = without_what_follows(overlay_, found.execution, found.check)) {
        ExecutionCheck check = check::check_execution(task_, axioms_, *less);
        if (check.ok) found = {*std::move(less), std::move(check)};
      }
    const ExecutionSize size = size_of(found.execution);
    if (!counterexample_ || size < size_of(counterexample_->execution)) counterexample_ = std::move(found);
    if (!bounds_.active) bounds_ = {.active = true, .work = kWork, .most_events = ~size_t{0}};
    // Of a graph in which a thread fails, much may be left out.
    if (!looks_at_errors(task_.property.kind))
      bounds_.most_events = size_of(counterexample_->execution).events - 1;
    return minimising_ && ++offers_ < kMostOffers;
  }

  ExecutionCounterexample checked(Execution execution) const {
    ExecutionCounterexample found{.execution = std::move(execution), .check = {}};
    found.check = check::check_execution(task_, axioms_, found.execution);
    if (!found.check.ok) throw Bug("an explored execution is rejected: " + found.check.why_not);
    return found;
  }

  bool is_proof() const {
    return finished() && !undefined_ && !undecided_ && !flag_ && !result_.too_large && !result_.too_long;
  }

  // The solver looks at all executions, which is no more work than to look at those with a cycle only.
  Result by_solver() {
    // Where engines share the time, that engine is one of them, and further ahead; but it has no liveness of its own.
    if (!looks_for_waits()) env_.expect(RuntimePrediction::kLong);
    Env env{env_.options, env_.limits, env_.progress};
    Result result = sat::make_sat_engine()->run(task_, env);
    const Result explored = with_figures(Proof{}, "");
    for (const auto& figure : explored.statistics.figures)
      if (figure.first != "events") result.statistics.figures.push_back(figure);
    return result;
  }

  Result conclusion() {
    if (counterexample_) return violation();
    if (result_.limit != LimitReached::kNone)
      return unknown(UnknownReason::kLimit, env_.limits.describe(result_.limit));
    if (undefined_)
      return unknown(
          UnknownReason::kUndefined,
          "the formula of the property has no value in some states (it divides by zero or the like)");
    if (flag_)
      return unknown(UnknownReason::kModel,
                     fmt::format("the model raises its flag '{}': it does not define such programs",
                                 axioms_.constraints[*flag_].name));
    if (result_.too_large) return unknown(UnknownReason::kOverflow, "a value leaves the 64-bit integers");
    if (result_.too_long) return too_long();
    if (undecided_)
      return unknown(
          UnknownReason::kImprecise,
          fmt::format("it is not known whether {} waits for ever in line {}: what it does there when "
                      "it is alone is not recognised as a wait",
                      task_.program.thread(undecided_->first).name,
                      task_.program.line_name(overlay_.at(undecided_->first, undecided_->second).pos)));
    require(result_.finished, "an exploration that has not ended proves nothing");
    return with_figures(Proof{}, fmt::format("no execution violates it ({} explored{})", result_.executions,
                                             traversals_ > 1 ? ", in two orders" : ""));
  }

  // Where the model has a machine, users expect a trace of it.
  Result violation() {
    // A thread that waits for ever is shown as well by an execution, which need not have an order.
    if (task_.model.buffering == Buffering::kNoMachine || looks_for_waits())
      return with_figures(*std::move(counterexample_), "");
    TraceCounterexample found{
        .trace = machine_trace(task_, counterexample_->execution, counterexample_->check), .replay = {}};
    found.replay = check::replay(task_, found.trace);
    if (!found.replay.ok)
      throw Bug("the trace of an explored execution does not replay: " + found.replay.why_not);
    return with_figures(std::move(found), "");
  }

  Result too_long() const {
    constexpr uint64_t kMostEvents = 1024;
    const std::string where =
        result_.too_long_thread.valid()
            ? fmt::format("a loop at line {} does not end",
                          task_.program.step_name(result_.too_long_thread, result_.too_long_at))
            : fmt::format("no violation in executions of up to {} events; there are longer ones{}",
                          kMostEvents, endless_loop());
    return with_figures(Unknown{.reason = UnknownReason::kBound, .bound = Bound{"events", kMostEvents}},
                        where);
  }

  // The loop that the longest thread was in, and why it is not taken to be one that waits.
  std::string endless_loop() const {
    const ThreadId thread = result_.longest_thread;
    if (!thread.valid()) return "";
    const Loops& loops = program_.wait_loops().loops(thread);
    const uint32_t loop = loops.innermost(result_.longest_at);
    if (loop == Loops::kNone) return "";
    std::string why = "a register that is used later changes in it";
    for (size_t p = 0; p < overlay_.points(thread); ++p) {
      const Instruction& i = overlay_.at(thread, Point(p));
      if (!loops.contains(loop, Point(p)) || !i.writes_memory()) continue;
      const Object& object = task_.program.object(i.address.object);
      if (i.kind == InstrKind::kStore &&
          program_.wait_loops().is_dead(thread, program_.wait_loops().header(thread, loop),
                                        object.first_cell))
        continue;
      why = fmt::format("it {} {} in line {}", i.kind == InstrKind::kStore ? "stores to" : "may change",
                        object.name, task_.program.line_name(i.pos));
      if (i.kind == InstrKind::kStore) break;
    }
    return fmt::format(" (the loop of {} in line {} is not one that only waits: {})",
                       task_.program.thread(thread).name,
                       task_.program.line_name(overlay_.at(thread, loops.header(loop)).pos), why);
  }

  Result unknown(UnknownReason kind, std::string reason) const {
    return with_figures(Unknown{.reason = kind}, std::move(reason));
  }

  Result with_figures(Conclusion conclusion, std::string reason) const {
    Result result;
    result.conclusion = std::move(conclusion);
    result.reason = std::move(reason);
    result.statistics.figures = {{"executions", static_cast<double>(result_.executions)},
                                 {"blocked_executions", static_cast<double>(result_.blocked)},
                                 {"graphs", static_cast<double>(result_.graphs)},
                                 {"revisits", static_cast<double>(result_.revisits)},
                                 {"events", static_cast<double>(result_.largest)},
                                 {"traversals", static_cast<double>(traversals_)}};
    if (program_.symmetric().size() > 0)
      result.statistics.figures.emplace_back("symmetric_threads",
                                             static_cast<double>(program_.symmetric().size()));
    return result;
  }

  const Task& task_;
  Env& env_;
  Overlay overlay_;
  CatModel axioms_;
  ExplorableProgram program_;
  ThreadCode alone_;  // for threads that are executed alone
  RetriedWaits retried_;
  ExplorationResult result_;
  std::optional<ExecutionCounterexample> counterexample_;  // the smallest so far
  ExplorationBounds bounds_;                               // once there is one
  bool minimising_ = false;
  size_t offers_ = 0;
  std::optional<size_t> flag_;  // one that is raised, where that is no violation
  bool undefined_ = false;
  std::optional<std::pair<ThreadId, Point>>
      undecided_;  // liveness: a thread that may wait for ever, and where
  uint64_t leaves_ = 0, traversals_ = 1;
};

Result ExecutionsEngine::run(const Task& task, Env& env) const {
  return engine::measured([&] {
    try {
      return Decision(task, env).run();
    } catch (const Unsupported& unsupported) {
      return unknown_result(UnknownReason::kUnsupported, unsupported.what());
    }
  });
}

}  // namespace

std::unique_ptr<engine::Engine> make_executions_engine() { return std::make_unique<ExecutionsEngine>(); }

}  // namespace fenceline::executions
