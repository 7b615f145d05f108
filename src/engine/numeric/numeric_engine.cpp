// SPDX-License-Identifier: GPL-3.0-or-later
//
// The numeric engine: numerical abstract interpretation of store-buffer machines, for programs whose integers
// have no bound. After Meshman, Dan, Vechev and Yahav, "Synthesis of Memory Fences via Refinement
// Propagation" (SAS 2014), with another layout of states: what is finite is told apart, and only integers
// without bound are left to the numerical domain.
//
//   look for a real run that goes wrong, not far    → violated
//   for each way to abstract:
//     compute an invariant: the fixpoint over all threads' steps
//     it excludes what the property forbids         → verified; the invariant is the proof
//     narrowing it helps                            → verified
//     an exact abstract run goes wrong              → no other way will do better: stop
//   look for a real run, further                    → violated
//   → unknown: the abstraction raises an alarm, and no run was found behind it
//
// The analysis is not monotone: a finer domain, more sets or a longer delay can lose what a coarser one
// proves, since widening takes another turn. Hence several ways, and not just the finest.
//
// With --layout paper there is one way only, that of the paper (paper_layout.h).
#include "engine/numeric/numeric_engine.h"

#include <fmt/format.h>

#include <algorithm>
#include <fstream>
#include <limits>
#include <optional>
#include <utility>

#include "check/check_certificate.h"
#include "engine/cegar/exact_search.h"
#include "engine/cegar/refinement_loop.h"
#include "engine/numeric/analysis.h"
#include "engine/numeric/paper_layout.h"
#include "env/errors.h"
#include "ir/analysis/constructs.h"

namespace fenceline {
namespace {

// The exact machine is searched so far before an invariant is looked for, and if none was found.
constexpr uint64_t kQuickStates = 20'000;
constexpr uint64_t kThoroughStates = 300'000;
constexpr uint64_t kCheapSets = 5'000;  // a proof with at most so many is checked again unless forbidden

class NumericEngine final : public Engine {
 public:
  std::string_view name() const override { return "numeric"; }
  std::string_view summary() const override {
    return "finds invariants by abstract interpretation; proves programs with unbounded integers (sc tso "
           "pso)";
  }
  std::string unsupported_reason(const Task& task) const override;
  Priority priority(const Task& task, const Facts& facts) const override;
  bool certifies() const override { return true; }
  Result run(const Task& task, Env& env) const override;
};

std::string NumericEngine::unsupported_reason(const Task& task) const {
  if (std::string why = transactions_unsupported(*this, task); !why.empty()) return why;
  if (task.property.kind == PropertyKind::kNoDeadlock)
    return "the numeric engine does not look for deadlocks: an invariant says what can happen, not what must";
  if (const std::string why = store_buffer_unsupported_reason(task.program, task.model); !why.empty())
    return fmt::format("the numeric engine {}", why);
  if (task.model.buffering != Buffering::kUnbuffered && has_sync(task.program))
    return "the numeric engine cannot deal with sync";
  return "";
}

Priority NumericEngine::priority(const Task&, const Facts& facts) const {
  if (facts.unbounded_integers()) return {};
  return {Priority::Rank::kDoubtful, "the integers of the program are bounded"};
}

ArrayMode array_mode(const std::string& name) {
  if (name == "auto") return ArrayMode::kAuto;
  if (name == "expand") return ArrayMode::kExpand;
  if (name == "smash") return ArrayMode::kSmash;
  throw UsageError(fmt::format("--arrays {}: there are auto, expand and smash", name));
}

// None: it is left to us.
std::optional<NumericDomain> chosen_domain(const Options& options) {
  if (options.domain == "auto") return std::nullopt;
  const std::optional<NumericDomain> domain = parse_numeric_domain(options.domain);
  if (!domain)
    throw UsageError(fmt::format("--domain {}: there are auto, polyhedra, octagons, differences and boxes",
                                 options.domain));
  return domain;
}

// The ways to abstract, in the order in which they are tried.
std::vector<AnalysisOptions> attempts(const Options& options) {
  std::vector<NumericDomain> domains = {NumericDomain::kPolyhedra, NumericDomain::kDifferences};
  if (const std::optional<NumericDomain> domain = chosen_domain(options)) domains = {*domain};
  // From what is quick, and mostly enough, to what is slow. Few slots are not coarser than many: what is
  // summarised has fewer dimensions, and numerical domains are more precise with fewer of them.
  const auto disjuncts = static_cast<unsigned>(options.disjuncts);
  struct Way {
    unsigned disjuncts, slots, delay;
    uint64_t work;
  };
  const Way ways[] = {{1, 2, 3, 200},         {1, 4, 3, 500}, {1, 2, 3, 600},
                      {disjuncts, 4, 3, 600}, {1, 1, 3, 200}, {3 * disjuncts, 2, 8, 300}};
  std::vector<AnalysisOptions> all;
  for (const NumericDomain domain : domains)
    for (const Way& way : ways) {
      if (domain == NumericDomain::kDifferences && domains.size() > 1 && way.disjuncts == 1) continue;
      AnalysisOptions attempt;
      attempt.domain = domain;
      attempt.slots = options.slots != 0 ? static_cast<unsigned>(options.slots) : way.slots;
      attempt.plan.arrays = array_mode(options.arrays);
      attempt.fixpoint.disjuncts = way.disjuncts;
      attempt.fixpoint.delay = way.delay;
      attempt.fixpoint.most_work = way.work;
      attempt.certificate = options.certify != "never";
      attempt.text = !options.invariant.empty();
      all.push_back(attempt);
    }
  return all;
}

PaperOptions paper_options(const Task& task, const Options& options) {
  if (!options.invariant.empty())
    throw UsageError(
        "--invariant: with --layout paper there is nothing to write, it is one of another program");
  PaperOptions paper;
  if (options.slots != 0) paper.first_slots = paper.last_slots = static_cast<unsigned>(options.slots);
  paper.domain = chosen_domain(options).value_or(paper.domain);
  paper.arrays = array_mode(options.arrays);
  if (options.refine == "all")
    for (const FlushPlace& place : flush_places(task.program, task.fences, task.model))
      paper.refinements.insert(place);
  if (options.certify != "never")
    paper.check_up_to = options.certify == "auto" ? kCheapSets : std::numeric_limits<uint64_t>::max();
  return paper;
}

// One way to abstract, as a search of the refinement loop: the "states" are those of the invariant.
class InvariantSearch final : public AbstractSearch {
 public:
  InvariantSearch(const Task& task, const AnalysisOptions& options, Env& env)
      : task_(task), options_(options), env_(env) {}

  void run() override {
    analysis_ = analyze(task_, options_, env_.limits);
    end_.limit = analysis_.limit;
    // Only an invariant that holds is a complete search, whatever ended the analysis.
    end_.out_of_states =
        analysis_.outcome == Analysis::Outcome::kLimit && analysis_.limit == LimitReached::kNone;
  }
  bool violated() const override { return analysis_.outcome == Analysis::Outcome::kAlarm || exact_alarm(); }
  bool exact_alarm() const { return analysis_.outcome == Analysis::Outcome::kExactAlarm; }
  const SearchEnd& end() const override { return end_; }
  uint64_t states() const override { return analysis_.keys; }
  uint64_t transitions() const override { return analysis_.steps; }
  // An alarm says where something may go wrong, not how.
  std::optional<Concretised> concretise(std::string&) override { return std::nullopt; }
  Certificate checked_certificate() override { throw Bug("an invariant is certified by the loop"); }

  const Analysis& analysis() const { return analysis_; }
  std::string name() const { return options_.name(); }

 private:
  const Task& task_;
  const AnalysisOptions options_;
  Env& env_;
  Analysis analysis_;
  SearchEnd end_;
};

class NumericLoop final : public RefinementLoop {
 public:
  NumericLoop(const Task& task, Env& env)
      : RefinementLoop(task, env), attempts_(attempts(env.options)), quick_look_(env.options.confirm) {}

  Result decide() {
    Result result = run();
    result.statistics.figures.emplace_back("searched_states", static_cast<double>(searched_));
    return result;
  }

 private:
  std::unique_ptr<AbstractSearch> next() override {
    invariant_ = nullptr;
    if (std::exchange(quick_look_, false)) return exact(kQuickStates);
    if (next_ == attempts_.size()) return nullptr;
    auto search = std::make_unique<InvariantSearch>(task_, attempts_[next_++], env_);
    invariant_ = search.get();
    return search;
  }

  std::unique_ptr<AbstractSearch> exact(uint64_t states) {
    exact_states_ = states;
    return std::make_unique<ExactSearch>(task_, env_, true, states);
  }

  // An exact alarm is one that no other way to abstract will get rid of.
  std::optional<Concretised> search_again() override {
    if (invariant_->exact_alarm()) next_ = attempts_.size();
    if (next_ < attempts_.size() || !env_.options.confirm) return std::nullopt;
    const std::unique_ptr<AbstractSearch> search = exact(kThoroughStates);
    search->run();
    searched_ += search->states();
    if (!search->violated()) return std::nullopt;
    thorough_ = {search->states(), search->transitions()};
    std::string why_not;
    return search->concretise(why_not);
  }

  // Only the exact machine has counterexamples; its states are beside those of invariants.
  std::unique_ptr<AbstractSearch> shortening(unsigned number) override {
    return number == 0 ? std::make_unique<ExactSearch>(task_, env_, false, 8 * exact_states_) : nullptr;
  }
  std::unique_ptr<AbstractSearch> certifying(AbstractSearch*) override { return nullptr; }

  void searched(AbstractSearch& search, Result& result) override {
    if (invariant_ == nullptr) {
      searched_ += search.states();
      if (search.violated()) thorough_ = {search.states(), search.transitions()};
      return;
    }
    RefinementLoop::searched(search, result);
    result.abstraction = invariant_->name();
    if (env_.options.invariant.empty()) return;
    std::ofstream file(env_.options.invariant);
    file << invariant_->analysis().text;
    if (!file.flush()) throw UsageError(fmt::format("{} cannot be written", env_.options.invariant));
  }

  void answered(AbstractSearch& search, Result& result) override {
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

  Conclusion prove(AbstractSearch&, std::string& reason) override {
    const Analysis& analysis = invariant_->analysis();
    require(analysis.outcome == Analysis::Outcome::kHolds, "an analysis without an invariant is no proof");
    if (!analysis.certificate || !wants_certificate(env_.options, analysis.sets <= kCheapSets))
      return Proof();
    const CertificateCheck check = check_certificate(task_, *analysis.certificate, env_.limits);
    if (!check.ok && !check.gave_up) {
      // Either the invariant is wrong, or the checker knows less about arithmetic than the engine (division
      // by unknowns, bits). Which of them cannot be said, so it proves nothing.
      reason = "an invariant was found, but the check of it refuses it: " + check.why_not;
      return Unknown{.reason = UnknownReason::kRejected};
    }
    return Proof{.certificate = Certificate{"inductive invariant", analysis.certificate->states.size(),
                                            check.ok, "states"}};
  }

  UnknownReason unconfirmed() const override { return UnknownReason::kImprecise; }

  std::string proof_text(AbstractSearch&) override {
    return fmt::format("an invariant excludes all violations ({} places and values, {} sets of numbers; {})",
                       invariant_->analysis().keys, invariant_->analysis().sets, invariant_->name());
  }
  std::string spurious_text(const std::string&) override {
    return fmt::format(
        "no invariant was found that excludes a violation (the last one tried: {}), and no run that is one",
        invariant_->name());
  }
  std::string how_far_text(AbstractSearch& search) override {
    return fmt::format("while an invariant was computed ({}, {} keys)", invariant_->name(), search.states());
  }
  const char* no_certificate_text() const override { return ""; }
  const char* between_searches_text() const override { return " while an invariant was computed"; }

  const std::vector<AnalysisOptions> attempts_;
  size_t next_ = 0;  // in attempts_
  bool quick_look_;
  InvariantSearch* invariant_ = nullptr;  // the search at hand; none: it is one of the exact machine
  uint64_t exact_states_ = 0;             // the budget of the last search of the exact machine
  uint64_t searched_ = 0;                 // states of the exact machine
  std::optional<std::pair<uint64_t, uint64_t>> thorough_;  // states and transitions until the counterexample
};

// With --layout paper there is one analysis, that of the paper, and then a search of the exact machine.
class PaperDecision {
 public:
  PaperDecision(const Task& task, Env& env) : task_(task), env_(env) {}

  Result decide() {
    if (const std::string why = cannot_analyze_reduced(task_); !why.empty())
      throw Unsupported(fmt::format("the numeric engine with --layout paper {}", why));
    const PaperOptions options = paper_options(task_, env_.options);
    const PaperAnalysis analysis = analyze_reduced(task_, options, env_.limits);
    result_.statistics.states = analysis.keys;
    result_.statistics.transitions = analysis.steps;
    result_.abstraction = fmt::format("reduced to sc, {}", to_string(options.domain));
    result_.statistics.figures = {{"store_buffer_slots", static_cast<double>(analysis.slots)},
                                  {"refinements", static_cast<double>(options.refinements.size())},
                                  {"number_sets", static_cast<double>(analysis.sets)},
                                  {"numeric_variables", static_cast<double>(analysis.numeric_variables)}};
    const bool limited = analysis.outcome == PaperAnalysis::Outcome::kLimit;
    result_.reason = limited ? fmt::format("{} while an invariant of the reduced program was computed",
                                           env_.limits.describe(analysis.limit))
                             : analysis.reason();
    result_.conclusion = Unknown{.reason = limited ? UnknownReason::kLimit : UnknownReason::kImprecise};
    if (analysis.outcome == PaperAnalysis::Outcome::kVerified)
      result_.conclusion = Proof{.certificate = analysis.certificate};
    else if (!limited && env_.options.confirm)
      look_for_counterexample();
    result_.statistics.figures.emplace_back("searched_states", static_cast<double>(searched_));
    return std::move(result_);
  }

 private:
  void look_for_counterexample() {
    for (const bool reduce : {true, false}) {
      ExactSearch search(task_, env_, reduce, reduce ? kThoroughStates : 8 * kThoroughStates);
      search.run();
      searched_ += search.states();
      if (!search.violated()) return;
      std::string why_not;
      Concretised found = search.concretise(why_not).value();
      result_.statistics.states = search.states();
      result_.statistics.transitions = search.transitions();
      result_.reason = "a run of the exact machine violates the property";
      result_.conclusion = TraceCounterexample{
          .trace = std::move(found.trace), .replay = std::move(found.replay), .shortest = !reduce};
    }
  }

  const Task& task_;
  Env& env_;
  uint64_t searched_ = 0;  // states of the exact machine
  Result result_;
};

Result NumericEngine::run(const Task& task, Env& env) const {
  return measured([&] {
    if (env.options.layout == "paper") return PaperDecision(task, env).decide();
    return NumericLoop(task, env).decide();
  });
}

}  // namespace

std::unique_ptr<Engine> make_numeric_engine() { return std::make_unique<NumericEngine>(); }

}  // namespace fenceline
