// SPDX-License-Identifier: GPL-3.0-or-later
//
// The SAT engine: executions of the program with its loops unrolled, and the axioms of the memory model, as
// one formula. Burckhardt, Alur, Martin: CheckFence: Checking Consistency of Concurrent Data Types on Relaxed
// Memory Models (PLDI 2007), section 3.
//
// Loops are unrolled lazily. Is there a violation within the bounds? Else, which loops can iterate more often
// than they are unrolled? These get a higher bound (unrolling.h). If there are none, the formula has all
// executions, and the result is a proof, unless they are not those that count (`verified` below). That there
// is no violation within bounds that do not suffice proves nothing, and takes most of the time; for tests of
// data types, whose loops terminate, most iterations omit this query (`checks_early`).
//
// A violation is one of the property, or, where errors count, a flag of the model: a data race. The same
// iterations have queries for both. That no flag is raised counts only for a formula that keeps idle loop
// iterations in which one could be raised (threads.h). So there is a second series for these, with queries
// only about flags and about executions with such a loop iteration: all else is known from the first.
#include "engine/sat/sat_engine.h"

#include <fmt/format.h>

#include <algorithm>
#include <fstream>
#include <optional>
#include <span>
#include <utility>

#include "check/axiomatic/execution_checker.h"
#include "check/proof/rup.h"
#include "check/replay/replay.h"
#include "engine/sat/early_stores.h"
#include "engine/sat/formula.h"
#include "engine/sat/options.h"
#include "engine/sat/preserved_order.h"
#include "engine/sat/solution.h"
#include "engine/sat/stuck_threads.h"
#include "engine/sat/unrolling.h"
#include "env/errors.h"
#include "ir/analysis/constructs.h"
#include "model/memory_model.h"

namespace fenceline::sat {
namespace {

constexpr size_t kLargestCheapProof = 4'000'000;  // in bytes; a second or so to check

class SatEngine final : public engine::Engine {
 public:
  std::string_view name() const override { return "sat"; }
  std::string_view summary() const override {
    return "encodes all executions that the model's axioms allow for a SAT solver; decides programs whose "
           "loops are bounded (every model)";
  }
  std::string unsupported_reason(const Task& task) const override;
  engine::Priority priority(const Task& task, const engine::Facts& facts) const override;
  bool certifies() const override { return true; }
  Result run(const Task& task, Env& env) const override;
};

std::string SatEngine::unsupported_reason(const Task& task) const {
  if (const std::string why = engine::transactions_unsupported(*this, task); !why.empty()) return why;
  if (const std::string why = engine::liveness_unsupported(*this, task); !why.empty()) return why;
  if (!has_axioms(task.model))
    return fmt::format("the sat engine needs axioms, and {} is a table", task.model.name);
  if (task.property.kind == PropertyKind::kNoDeadlock && task.model.buffering == Buffering::kNoMachine)
    return fmt::format("the sat engine does not support deadlocks on {}, which has no machine",
                       task.model.name);
  if (looks_at_states(task.property) && task.model.buffering == Buffering::kNoMachine)
    return fmt::format("the sat engine has no intermediate states on {}, and '{}' is about them",
                       task.model.name, task.property.name);
  if (task.model.buffering == Buffering::kNoMachine && has_sync(task.program))
    return fmt::format("`sync` drains the store buffers of all threads, and {} has none", task.model.name);
  return "";
}

engine::Priority SatEngine::priority(const Task& task, const engine::Facts& facts) const {
  // Most counterexamples need few iterations, and each further one makes the formula much larger.
  if (task.property.kind != PropertyKind::kObservations && facts.loops()) {
    // Where exploration reaches all executions it is usually faster.
    const bool second =
        task.model.buffering == Buffering::kNoMachine && forbids_load_buffering(axioms_of(task.model));
    return {engine::Priority::Rank::kDoubtful, "loops may have no bound",
            second ? engine::Priority::Speed::kSecond : engine::Priority::Speed::kEarly};
  }
  return {.speed = engine::Priority::Speed::kFast};
}

// One query, with bounds that grow.
class UnrollingQuery {
 public:
  UnrollingQuery(const Task& task, Env& env)
      : task_(task),
        env_(env),
        overlay_(task.program, task.fences),
        axioms_(axioms_of(task.model)),
        unrolling_(env.options.of<SatOptions>().bound) {
    if (!keeps_control_dependencies(axioms_))
      self_justified_loop_ =
          loop_with_early_stores(overlay_, liveness_for(task.program, &task.property), axioms_);
  }

  Result run() {
    for (;;) {
      Formula formula(overlay_, axioms_, &task_.property, unrolling_.bounds(),
                      {.record_proof = wants_proof(), .keep_one = keep_one_, .require_kept = true});
      count(formula);
      env_.expect(prediction());
      const bool early = checks_early();
      if (early)
        if (std::optional<Result> found = find_violation(formula)) return *std::move(found);
      const Unrolling::Answer bounds = unrolling_.raise(formula, env_.limits);
      const bool last = bounds == Unrolling::Answer::kEnough || bounds == Unrolling::Answer::kAtLargest;
      if (last && !early)
        if (std::optional<Result> found = find_violation(formula)) return *std::move(found);
      switch (bounds) {
        case Unrolling::Answer::kEnough: {
          LoopSet more = is_second_series() ? LoopSet() : formula.loops_with_flags();
          Result result = verified(formula);
          if (more.empty() || result.proof() == nullptr) return result;
          first_certificate_ = result.proof()->certificate;
          keep_one_ = std::move(more);
          break;
        }
        case Unrolling::Answer::kLimit:
          return limit();
        case Unrolling::Answer::kAtLargest:
          return bounded();
        case Unrolling::Answer::kRaised:
          break;
      }
      ++iterations_;
      if (env_.progress.due())
        env_.progress.show(fmt::format("loops unrolled up to {} times", unrolling_.deepest()));
    }
  }

 private:
  // Small formulas are solved at once. What is unrolled again and again will not stay small, and the solver's time grows
  // faster than the formula. docs/decisions.md has the figures.
  RuntimePrediction prediction() const {
    constexpr uint64_t kFewClauses = 12'000, kFewIterations = 6;
    if (clauses_ <= kFewClauses && iterations_ < kFewIterations) return RuntimePrediction::kShort;
    // Without a machine, and for tests of data types, the other engines need not be better at it.
    const bool best =
        task_.model.buffering == Buffering::kNoMachine || task_.property.kind == PropertyKind::kObservations;
    return best ? RuntimePrediction::kUnknown : RuntimePrediction::kLong;
  }

  // Is there a query for violations before the bounds are known to suffice? Where loops may not terminate,
  // always: the last iteration may be far. Else in the first, which is cheap and finds most violations, and
  // in every fourth, so that none is found much later than it could be. docs/decisions.md has the figures.
  bool checks_early() const {
    constexpr uint64_t kIterationsBetweenChecks = 4;
    return task_.property.kind != PropertyKind::kObservations || iterations_ % kIterationsBetweenChecks == 0;
  }

  // A violation within the bounds, or that a limit was reached; nothing if there is none.
  std::optional<Result> find_violation(Formula& formula) {
    std::vector<Lit> violations;
    if (!is_second_series()) violations.push_back(formula.violated());
    // To a program that must not fail, a data race and its like are failures.
    if (looks_at_errors(task_.property.kind))
      for (const Constraint& constraint : axioms_.constraints)
        if (constraint.flag) violations.push_back(formula.relations().flagged(constraint));
    for (const Lit query : violations) switch (formula.solver().solve({query}, env_.limits)) {
        case SatAnswer::kSatisfiable:
          if (task_.property.kind == PropertyKind::kLiveness) return find_stuck(formula);
          return violated(formula);
        case SatAnswer::kLimit:
          return limit();
        case SatAnswer::kUnsatisfiable:
          break;
      }
    return std::nullopt;
  }

  // Liveness: one of the executions in which all threads might wait, and do. Precondition: the solver has a solution.
  std::optional<Result> find_stuck(Formula& formula) {
    if (!stuck_) stuck_.emplace(overlay_);
    for (;;) {
      ExecutionCounterexample found{.execution = Solution(formula).execution(), .check = {}};
      found.check = check::check_execution(task_, axioms_, found.execution);
      switch (stuck_->examine(formula, found.execution, found.check)) {
        case StuckThreads::Answer::kStuck:
          if (!found.check.ok) throw Bug("an execution is not what it claims to be: " + found.check.why_not);
          return with_figures(std::move(found));
        case StuckThreads::Answer::kUndecided:
          return unknown(
              UnknownReason::kImprecise,
              "it is not known whether a thread waits for ever: what it does alone takes too many steps");
        case StuckThreads::Answer::kExcluded:
          break;
      }
      ++excluded_;
      const SatAnswer answer = formula.solver().solve({formula.violated()}, env_.limits);
      if (answer == SatAnswer::kLimit) return limit();
      if (answer == SatAnswer::kUnsatisfiable) return std::nullopt;
    }
  }

  Result violated(Formula& formula) {
    const Solution solution(formula);
    const bool has_machine = task_.model.buffering == Buffering::kUnbuffered || !has_wide_stores(overlay_);
    if (task_.model.buffering != Buffering::kNoMachine && has_machine) {
      TraceCounterexample found{.trace = solution.trace(task_.model.buffering, task_.property.kind),
                                .replay = {}};
      found.replay = check::replay(task_, found.trace);
      if (!found.replay.ok) throw Bug("the trace of an execution does not replay: " + found.replay.why_not);
      return with_figures(std::move(found));
    }
    ExecutionCounterexample found{.execution = solution.execution(), .check = {}};
    found.check = check::check_execution(task_, axioms_, found.execution);
    if (!found.check.ok) throw Bug("an execution is not what it claims to be: " + found.check.why_not);
    return with_figures(std::move(found));
  }

  // No execution within the bounds violates it, and none exceeds them. That is a proof if there are
  // executions at all, and if there are no doubts about them.
  Result verified(Formula& formula) {
    // Tests of data types are exempt, as in the paper: executions with out-of-thin-air values are not
    // considered there, and the verdict reports it (`not_covered`).
    const bool is_test = task_.property.kind == PropertyKind::kObservations;
    if (self_justified_loop_ && !is_test)
      return unknown(UnknownReason::kModel, "a later store may cause more iterations of " + affected_loop());
    if (!is_second_series()) {
      const SatAnswer any = formula.solver().solve({}, env_.limits);
      if (any == SatAnswer::kLimit) return limit();
      if (any == SatAnswer::kUnsatisfiable)
        return unknown(UnknownReason::kModel, "the model allows no execution of this program");
    }
    const std::vector<Doubt> doubts = doubts_about(formula);
    for (const Doubt& doubt : doubts) {
      const SatAnswer answer = formula.solver().solve({doubt.holds}, env_.limits);
      if (answer == SatAnswer::kLimit) return limit();
      if (answer == SatAnswer::kSatisfiable) return unknown(doubt.kind, doubt.reason);
    }
    Proof proof;
    if (self_justified_loop_)
      proof.not_covered = "executions in which a later store causes more iterations of " + affected_loop();
    prove(formula, doubts, proof);
    Result result = with_figures(std::move(proof));
    result.reason =
        unrolling_.deepest() > 1
            ? fmt::format("no execution violates it, and none reaches a loop header more than {} times",
                          unrolling_.deepest())
            : "no execution violates it";
    return result;
  }

  std::string affected_loop() const {
    return fmt::format(
        "the loop at {}:{}:{} (docs/engine-sat.md); {} does not keep control dependencies, and no fence "
        "between loads and stores does",
        task_.program.file_of(*self_justified_loop_).name, self_justified_loop_->line,
        self_justified_loop_->column, task_.model.name);
  }

  // Why an answer would not count although the property is not violated, in executions where this holds.
  struct Doubt {
    Lit holds;
    UnknownReason kind;
    std::string reason;
  };
  std::vector<Doubt> doubts_about(Formula& formula) const {
    std::vector<Doubt> doubts{
        {formula.undefined(), UnknownReason::kUndefined,
         "the formula of the property has no value in some states (it divides by zero or the like)"}};
    for (const Constraint& constraint : axioms_.constraints)
      if (constraint.flag)
        doubts.push_back({formula.relations().flagged(constraint), UnknownReason::kModel,
                          fmt::format("the model raises its flag '{}': it does not define such programs",
                                      constraint.name)});
    return doubts;
  }

  bool is_second_series() const { return !keep_one_.empty(); }
  const std::string& proof_file() const { return env_.options.of<SatOptions>().proof; }
  bool wants_proof() const { return env_.options.certify != Certify::kNever || !proof_file().empty(); }

  // All queries in one: there is no violation, no doubt, and nothing beyond the bounds. The solver must find
  // this unsatisfiable without assumptions; independent code then checks its proof.
  void prove(Formula& formula, const std::vector<Doubt>& doubts, Proof& result) {
    if (!wants_proof()) return;
    std::vector<Lit> violations;
    if (!is_second_series()) violations.push_back(formula.violated());
    for (const Doubt& doubt : doubts) violations.push_back(doubt.holds);
    for (const auto& [loop, beyond] : formula.beyond()) violations.push_back(beyond);
    formula.circuit().require(violations);
    const SatAnswer answer = formula.solver().solve({}, env_.limits);
    if (answer == SatAnswer::kLimit) return;
    require(answer == SatAnswer::kUnsatisfiable,
            "what is unsatisfiable part by part has a solution as a whole");
    const std::string proof = formula.solver().finish_proof();
    if (!proof_file().empty())
      write_proof(formula.solver(), proof, proof_file() + (is_second_series() ? ".flags" : ""));
    result.certificate = Certificate{
        "RUP proof", static_cast<uint64_t>(std::count(proof.begin(), proof.end(), '\n')), false, "clauses"};
    if (first_certificate_) result.certificate->size += first_certificate_->size;
    if (is_second_series() && !(first_certificate_ && first_certificate_->checked)) return;
    if (env_.options.certify == Certify::kNever) return;
    if (env_.options.certify == Certify::kAuto && proof.size() > kLargestCheapProof) return;
    const check::RupCheck check = check::check_rup(formula.solver().recorded_clauses(), proof, &env_.limits);
    if (check.exhausted) return;
    if (!check.ok) throw Bug("the solver's proof is rejected: " + check.why_not);
    result.certificate->checked = true;
  }

  // The proof, and the formula beside it, for other checkers.
  static void write_proof(const Solver& solver, const std::string& proof, const std::string& file) {
    std::ofstream steps(file), cnf(file + ".cnf");
    steps << proof;
    cnf << "p cnf " << solver.variables() << ' ' << solver.recorded_clauses().size() << '\n';
    for (const std::vector<int>& clause : solver.recorded_clauses()) {
      for (const int literal : clause) cnf << literal << ' ';
      cnf << "0\n";
    }
    if (!steps.flush() || !cnf.flush()) throw UsageError(fmt::format("cannot write to '{}'", file));
  }

  Result unknown(UnknownReason kind, std::string reason) const {
    Result result = with_figures(Unknown{.reason = kind});
    result.reason = std::move(reason);
    return result;
  }

  Result limit() const { return unknown(UnknownReason::kLimit, env_.limits.describe(env_.limits.poll())); }

  Result bounded() const {
    const uint64_t bound = env_.options.of<SatOptions>().bound;
    Result result =
        with_figures(Unknown{.reason = UnknownReason::kBound, .bound = Bound{"rounds of a loop", bound}});
    result.reason =
        fmt::format("no violation within bound {}: {} (--bound)", bound, unrolling_.what_exceeds());
    return result;
  }

  void count(Formula& formula) {
    const EventRelations& events = formula.events();
    const auto of_threads =
        std::span(events.all())
            .subspan(events.first_of_threads(), events.first_look() - events.first_of_threads());
    const auto number_of = [&](EventKind kind) {
      return static_cast<uint64_t>(
          std::count_if(of_threads.begin(), of_threads.end(),
                        [&](const auto& event) { return event.kind == kind && event.executed != kFalse; }));
    };
    events_ = events.events();
    loads_ = number_of(EventKind::kRead);
    stores_ = number_of(EventKind::kWrite);
    variables_ = static_cast<uint64_t>(formula.solver().variables());
    clauses_ = formula.solver().clauses();
  }

  Result with_figures(Conclusion conclusion) const {
    Result result;
    result.conclusion = std::move(conclusion);
    result.statistics.figures = {{"events", static_cast<double>(events_)},
                                 {"loads", static_cast<double>(loads_)},
                                 {"stores", static_cast<double>(stores_)},
                                 {"variables", static_cast<double>(variables_)},
                                 {"clauses", static_cast<double>(clauses_)},
                                 {"formulas", static_cast<double>(iterations_ + 1)},
                                 {"deepest_loop", static_cast<double>(unrolling_.deepest())}};
    if (task_.property.kind == PropertyKind::kLiveness)
      result.statistics.figures.emplace_back("waits_excluded", static_cast<double>(excluded_));
    return result;
  }

  const Task& task_;
  Env& env_;
  Overlay overlay_;
  CatModel axioms_;
  Unrolling unrolling_;
  std::optional<SourcePos> self_justified_loop_;  // a loop whose iterations may be caused by later stores
  std::optional<Certificate> first_certificate_;  // of the first series
  std::optional<StuckThreads> stuck_;             // liveness
  LoopSet keep_one_;                              // empty at first, and as long as no such loop is known
  uint64_t iterations_ = 0, events_ = 0, loads_ = 0, stores_ = 0, variables_ = 0, clauses_ = 0, excluded_ = 0;
};

Result SatEngine::run(const Task& task, Env& env) const {
  return engine::measured([&] {
    try {
      return UnrollingQuery(task, env).run();
    } catch (const Unsupported& unsupported) {
      return unknown_result(UnknownReason::kUnsupported, unsupported.what());
    }
  });
}

}  // namespace

std::unique_ptr<engine::Engine> make_sat_engine() { return std::make_unique<SatEngine>(); }

}  // namespace fenceline::sat
