// SPDX-License-Identifier: GPL-3.0-or-later
//
// The numeric engine: numerical abstract interpretation of store-buffer machines, for programs whose integers
// have no bound. After Meshman, Dan, Vechev and Yahav, "Synthesis of Memory Fences via Refinement
// Propagation" (SAS 2014), with another layout of states: what is finite is tracked explicitly, and only
// integers without bound are left to the numerical domain.
//
//   search the exact machine, up to few states      → violated
//   for each configuration of the abstraction:
//     compute an invariant: the fixpoint over all threads' steps
//     it excludes what the property forbids         → verified; the invariant is the proof
//     narrowing it helps                            → verified
//     an exact abstract state violates it           → no other configuration can prove it: stop
//   search the exact machine, up to more states     → violated
//   → unknown: the abstraction raises an alarm, and no counterexample was found
//
// The analysis is not monotone: a finer domain, more sets or a longer delay can lose what a coarser one
// proves, since widening takes another path. Hence several configurations, and not just the finest.
//
// Another layout of states can replace it (NumericOptions::layout); reference/paper_layout.h has the paper's.
#include "engine/numeric/numeric_engine.h"

#include <fmt/format.h>

#include <algorithm>
#include <fstream>
#include <optional>
#include <utility>

#include "base/counted.h"
#include "check/check_certificate.h"
#include "engine/cegar/exact_search.h"
#include "engine/cegar/refinement_loop.h"
#include "engine/numeric/analysis.h"
#include "engine/numeric/options.h"
#include "env/errors.h"
#include "ir/analysis/constructs.h"

namespace fenceline::numeric {
namespace {

// So many states of the exact machine are searched before an invariant is computed, and if none was found.
constexpr uint64_t kQuickStates = 20'000;
constexpr uint64_t kThoroughStates = 300'000;
constexpr uint64_t kCheapSets = 5'000;  // a proof with at most so many is checked again unless forbidden

class NumericEngine final : public engine::Engine {
 public:
  std::string_view name() const override { return "numeric"; }
  std::string_view summary() const override {
    return "finds invariants by abstract interpretation; proves programs with unbounded integers (sc tso "
           "pso)";
  }
  std::string unsupported_reason(const Task& task) const override;
  engine::Priority priority(const Task& task, const engine::Facts& facts) const override;
  bool certifies() const override { return true; }
  Result run(const Task& task, Env& env) const override;
};

std::string NumericEngine::unsupported_reason(const Task& task) const {
  if (std::string why = engine::transactions_unsupported(*this, task); !why.empty()) return why;
  if (std::string why = engine::wide_stores_unsupported(*this, task); !why.empty()) return why;
  if (std::string why = engine::liveness_unsupported(*this, task); !why.empty()) return why;
  if (task.property.kind == PropertyKind::kNoDeadlock)
    return "the numeric engine does not support deadlocks: an invariant describes reachable states, not "
           "progress";
  if (const std::string why = machine::store_buffer_unsupported_reason(task.program, task.model);
      !why.empty())
    return fmt::format("the numeric engine {}", why);
  if (task.model.buffering != Buffering::kUnbuffered && has_sync(task.program))
    return "the numeric engine does not support sync";
  return "";
}

engine::Priority NumericEngine::priority(const Task& task, const engine::Facts& facts) const {
  if (facts.unbounded_integers()) return {.speed = engine::Priority::Speed::kFast};
  return {engine::Priority::Rank::kDoubtful, "the integers of the program are bounded",
          slow_speed(task, facts)};
}

// The configurations, in the order in which they are tried.
std::vector<AnalysisOptions> attempts(const NumericOptions& options, Certify certify) {
  std::vector<NumericDomain> domains = {NumericDomain::kPolyhedra, NumericDomain::kDifferences};
  if (options.domain) domains = {*options.domain};
  // From what is quick, and mostly enough, to what is slow. Few slots are not coarser than many: what is
  // summarised has fewer dimensions, and numerical domains are more precise with fewer of them.
  const auto disjuncts = static_cast<unsigned>(options.disjuncts);
  struct Configuration {
    unsigned disjuncts, slots, delay;
    uint64_t work;
  };
  const Configuration configurations[] = {{1, 2, 3, 200},         {1, 4, 3, 500}, {1, 2, 3, 600},
                                          {disjuncts, 4, 3, 600}, {1, 1, 3, 200}, {3 * disjuncts, 2, 8, 300}};
  std::vector<AnalysisOptions> all;
  for (const NumericDomain domain : domains)
    for (const Configuration& configuration : configurations) {
      if (domain == NumericDomain::kDifferences && domains.size() > 1 && configuration.disjuncts == 1)
        continue;
      AnalysisOptions attempt;
      attempt.domain = domain;
      attempt.slots = options.slots != 0 ? static_cast<unsigned>(options.slots) : configuration.slots;
      attempt.plan.arrays = options.arrays;
      attempt.fixpoint.disjuncts = configuration.disjuncts;
      attempt.fixpoint.delay = configuration.delay;
      attempt.fixpoint.most_work = configuration.work;
      attempt.certificate = certify != Certify::kNever;
      attempt.text = !options.invariant.empty();
      all.push_back(attempt);
    }
  return all;
}

// One configuration to abstract, as a search of the refinement loop: the "states" are the partitions of the invariant.
class InvariantSearch final : public engine::AbstractSearch {
 public:
  InvariantSearch(const Task& task, AnalysisOptions options, Env& env)
      : task_(task), options_(std::move(options)), env_(env) {}

  void run() override {
    analysis_ = analyze(task_, options_, env_.limits);
    end_.limit = analysis_.limit;
    // Only an invariant that holds is a complete search, whatever ended the analysis.
    end_.out_of_states =
        analysis_.outcome == Analysis::Outcome::kLimit && analysis_.limit == LimitReached::kNone;
  }
  bool violated() const override { return analysis_.outcome == Analysis::Outcome::kAlarm || exact_alarm(); }
  bool exact_alarm() const { return analysis_.outcome == Analysis::Outcome::kExactAlarm; }
  const engine::SearchEnd& end() const override { return end_; }
  uint64_t states() const override { return analysis_.partitions; }
  uint64_t transitions() const override { return analysis_.steps; }
  // An alarm says in which state a violation is possible, not how it is reached.
  std::optional<engine::Concretised> concretise(std::string&) override { return std::nullopt; }
  Certificate checked_certificate() override { throw Bug("an invariant is certified by the loop"); }

  const Analysis& analysis() const { return analysis_; }
  std::string name() const { return options_.name(); }

 private:
  const Task& task_;
  const AnalysisOptions options_;
  Env& env_;
  Analysis analysis_;
  engine::SearchEnd end_;
};

class NumericLoop final : public engine::RefinementLoop {
 public:
  NumericLoop(const Task& task, Env& env)
      : engine::RefinementLoop(task, env),
        engine_options_(env.options.of<NumericOptions>()),
        attempts_(attempts(engine_options_, env.options.certify)),
        quick_look_(engine_options_.confirm) {}

  Result decide() {
    Result result = run();
    result.statistics.figures.emplace_back("searched_states", static_cast<double>(searched_));
    return result;
  }

 private:
  std::unique_ptr<engine::AbstractSearch> next() override {
    invariant_ = nullptr;
    if (std::exchange(quick_look_, false)) return exact(kQuickStates);
    if (next_ == attempts_.size()) return nullptr;
    auto search = std::make_unique<InvariantSearch>(task_, attempts_[next_++], env_);
    invariant_ = search.get();
    return search;
  }

  std::unique_ptr<engine::AbstractSearch> exact(uint64_t states) {
    exact_states_ = states;
    return std::make_unique<engine::ExactSearch>(task_, env_, true, states);
  }

  // No other configuration removes an exact alarm.
  std::optional<engine::Concretised> search_again() override {
    if (invariant_->exact_alarm()) next_ = attempts_.size();
    if (next_ < attempts_.size() || !engine_options_.confirm) return std::nullopt;
    const std::unique_ptr<engine::AbstractSearch> search = exact(kThoroughStates);
    search->run();
    searched_ += search->states();
    if (!search->violated()) return std::nullopt;
    thorough_ = {search->states(), search->transitions()};
    std::string why_not;
    return search->concretise(why_not);
  }

  // Only the exact machine has counterexamples; its states are beside those of invariants.
  std::unique_ptr<engine::AbstractSearch> shortening(unsigned number) override {
    return number == 0 ? std::make_unique<engine::ExactSearch>(task_, env_, false, 8 * exact_states_)
                       : nullptr;
  }
  std::unique_ptr<engine::AbstractSearch> certifying(engine::AbstractSearch*) override { return nullptr; }

  void searched(engine::AbstractSearch& search, Result& result) override {
    if (invariant_ == nullptr) {
      searched_ += search.states();
      if (search.violated()) thorough_ = {search.states(), search.transitions()};
      return;
    }
    engine::RefinementLoop::searched(search, result);
    result.abstraction = invariant_->name();
    if (engine_options_.invariant.empty()) return;
    std::ofstream file(engine_options_.invariant);
    file << invariant_->analysis().text;
    if (!file.flush()) throw UsageError(fmt::format("{} cannot be written", engine_options_.invariant));
  }

  void answered(engine::AbstractSearch& search, Result& result) override {
    if (thorough_) {
      result.statistics.states = thorough_->first;
      result.statistics.transitions = thorough_->second;
    } else if (search.end().complete()) {
      const Analysis& analysis = invariant_->analysis();
      result.statistics.figures.emplace_back("number_sets", static_cast<double>(analysis.sets));
      result.statistics.figures.emplace_back("numeric_variables",
                                             static_cast<double>(analysis.numeric_variables));
    }
  }

  Conclusion prove(engine::AbstractSearch&, std::string& reason) override {
    const Analysis& analysis = invariant_->analysis();
    require(analysis.outcome == Analysis::Outcome::kHolds, "an analysis without an invariant is no proof");
    if (!analysis.certificate || !engine::wants_certificate(env_.options, analysis.sets <= kCheapSets))
      return Proof();
    const check::CertificateCheck check = check::check_certificate(task_, *analysis.certificate, env_.limits);
    if (!check.ok && !check.gave_up) {
      // Either the invariant is not inductive, or the checker's arithmetic is less precise than the engine's
      // (division by unknowns, bits). Which of the two is not known, so the invariant proves nothing.
      reason = "an invariant was found, but its check rejects it: " + check.why_not;
      return Unknown{.reason = UnknownReason::kRejected};
    }
    return Proof{.certificate = Certificate{"inductive invariant", analysis.certificate->states.size(),
                                            check.ok, "states"}};
  }

  UnknownReason unconfirmed() const override { return UnknownReason::kImprecise; }

  std::string proof_text(engine::AbstractSearch&) override {
    return fmt::format("an invariant excludes all violations ({}, {}; {})",
                       counted(invariant_->analysis().partitions, "partition"),
                       counted(invariant_->analysis().sets, "abstract element"), invariant_->name());
  }
  std::string spurious_text(const std::string&) override {
    return fmt::format(
        "no invariant was found that excludes all violations (last configuration: {}), and no counterexample",
        invariant_->name());
  }
  std::string how_far_text(engine::AbstractSearch& search) override {
    return fmt::format("while an invariant was computed ({}, {})", invariant_->name(),
                       counted(search.states(), "partition"));
  }
  const char* no_certificate_text() const override { return ""; }
  const char* between_searches_text() const override { return " while an invariant was computed"; }

  const NumericOptions& engine_options_;
  const std::vector<AnalysisOptions> attempts_;
  size_t next_ = 0;  // in attempts_
  bool quick_look_;
  InvariantSearch* invariant_ = nullptr;  // the search at hand; none: it is one of the exact machine
  uint64_t exact_states_ = 0;             // the budget of the last search of the exact machine
  uint64_t searched_ = 0;                 // states of the exact machine
  std::optional<std::pair<uint64_t, uint64_t>> thorough_;  // states and transitions until the counterexample
};

Result NumericEngine::run(const Task& task, Env& env) const {
  return engine::measured([&] {
    if (const NumericLayout layout = env.options.of<NumericOptions>().layout) return layout(task, env);
    return NumericLoop(task, env).decide();
  });
}

}  // namespace

std::unique_ptr<engine::Engine> make_numeric_engine() { return std::make_unique<NumericEngine>(); }

}  // namespace fenceline::numeric
