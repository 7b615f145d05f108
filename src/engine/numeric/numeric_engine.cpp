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

#include "check/check_certificate.h"
#include "check/replay/replay.h"
#include "engine/numeric/analysis.h"
#include "engine/numeric/paper_layout.h"
#include "engine/search/search.h"
#include "env/errors.h"
#include "property/properties.h"

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
  std::string cannot(const Task& task) const override;
  std::string hesitates(const Task& task) const override;
  Result run(const Task& task, Env& env) const override;
};

std::string NumericEngine::cannot(const Task& task) const {
  if (std::string why = knows_no_histories(*this, task); !why.empty()) return why;
  if (task.property.kind == PropertyKind::kNoDeadlock)
    return "the numeric engine does not look for deadlocks: an invariant says what can happen, not what must";
  if (const std::string why = cannot_run(task.program, task.model); !why.empty())
    return fmt::format("the numeric engine {}", why);
  for (const Thread& thread : task.program.threads)
    for (const Instruction& instruction : thread.code)
      if (instruction.kind == InstrKind::kFence && instruction.fence.has_everybody() &&
          task.model.buffering != Buffering::kNone)
        return "the numeric engine cannot deal with sync";
  return "";
}

std::string NumericEngine::hesitates(const Task& task) const {
  return has_unbounded_integers(task.program) ? "" : "the integers of the program are bounded";
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

class Decision {
 public:
  Decision(const Task& task, Env& env) : task_(task), env_(env) {}

  Result decided() {
    decide();
    result_.statistics.emplace_back("searched_states", static_cast<double>(searched_));
    return std::move(result_);
  }

 private:
  void decide() {
    if (env_.options.layout == "paper") return decide_as_in_paper();
    if (env_.options.confirm && found_a_run(kQuickStates)) return;
    for (const AnalysisOptions& attempt : attempts(env_.options)) {
      const Analysis analysis = analyze(task_, attempt, env_.limits);
      note(attempt, analysis);
      switch (analysis.outcome) {
        case Analysis::Outcome::kHolds:
          verified(analysis);
          return;
        case Analysis::Outcome::kLimit:
          result_.reason = fmt::format("{} while an invariant was computed ({}, {} keys)",
                                       env_.limits.describe(analysis.limit), attempt.name(), analysis.keys);
          return;
        case Analysis::Outcome::kExactAlarm:
          if (env_.options.confirm) found_a_run(kThoroughStates);
          return;
        case Analysis::Outcome::kAlarm:
          break;
      }
    }
    if (env_.options.confirm) found_a_run(kThoroughStates);
  }

  void decide_as_in_paper() {
    if (const std::string why = cannot_analyze_reduced(task_); !why.empty())
      throw Unsupported(fmt::format("the numeric engine with --layout paper {}", why));
    const PaperOptions options = paper_options(task_, env_.options);
    const PaperAnalysis analysis = analyze_reduced(task_, options, env_.limits);
    result_.states = analysis.keys;
    result_.transitions = analysis.steps;
    result_.abstraction = fmt::format("reduced to sc, {}", to_string(options.domain));
    result_.reason = analysis.outcome == PaperAnalysis::Outcome::kLimit
                         ? fmt::format("{} while an invariant of the reduced program was computed",
                                       env_.limits.describe(analysis.limit))
                         : analysis.reason();
    result_.statistics.emplace_back("store_buffer_slots", static_cast<double>(analysis.slots));
    result_.statistics.emplace_back("refinements", static_cast<double>(options.refinements.size()));
    result_.statistics.emplace_back("number_sets", static_cast<double>(analysis.sets));
    result_.statistics.emplace_back("numeric_variables", static_cast<double>(analysis.numeric_variables));
    result_.certificate = analysis.certificate;
    if (analysis.outcome == PaperAnalysis::Outcome::kVerified)
      result_.verdict = Verdict::kVerified;
    else if (analysis.outcome != PaperAnalysis::Outcome::kLimit && env_.options.confirm)
      found_a_run(kThoroughStates);
  }

  void note(const AnalysisOptions& attempt, const Analysis& analysis) {
    result_.states += analysis.keys;
    result_.transitions += analysis.steps;
    result_.abstraction = attempt.name();
    result_.reason = fmt::format(
        "no invariant was found that excludes a violation (the last one tried: {}), and no run that is one",
        attempt.name());
    if (env_.options.invariant.empty()) return;
    std::ofstream file(env_.options.invariant);
    file << analysis.text;
    if (!file.flush()) throw UsageError(fmt::format("{} cannot be written", env_.options.invariant));
  }

  void verified(const Analysis& analysis) {
    result_.verdict = Verdict::kVerified;
    result_.reason = fmt::format(
        "an invariant excludes all violations ({} places and values, {} sets of "
        "numbers; {})",
        analysis.keys, analysis.sets, result_.abstraction);
    result_.statistics.emplace_back("number_sets", static_cast<double>(analysis.sets));
    result_.statistics.emplace_back("numeric_variables", static_cast<double>(analysis.numeric_variables));
    if (!analysis.certificate || (env_.options.certify == "auto" && analysis.sets > kCheapSets)) return;
    const CertificateCheck check = check_certificate(task_, *analysis.certificate, env_.limits);
    if (!check.ok && !check.gave_up) {
      // Either the invariant is wrong, or the checker knows less about arithmetic than the engine (division
      // by unknowns, bits). Nobody can tell, so it proves nothing.
      result_.verdict = Verdict::kUnknown;
      result_.reason = "an invariant was found, but the check of it refuses it: " + check.why_not;
      return;
    }
    result_.certificate =
        Certificate{"inductive invariant", analysis.certificate->states.size(), check.ok, "states"};
  }

  // A run of the exact machine that violates the property, among so many states.
  bool found_a_run(uint64_t states) {
    for (const bool reduce : {true, false}) {
      const System system =
          system_for(task_, {.fuse = reduce, .reduce = reduce, .buffer_limit = env_.options.buffer_limit});
      // Without reduction, for a shortest run: only if there is one.
      Search search(system, task_.program, &task_.property, {1, reduce ? states : 8 * states}, env_.limits,
                    env_.progress);
      const Findings findings = search.run();
      searched_ += findings.states;
      if (!findings.found) break;
      result_.states = findings.states;
      result_.transitions = findings.transitions;
      result_.verdict = Verdict::kViolated;
      result_.reason = "a run of the exact machine violates the property";
      result_.trace = search.trace();
      result_.shortest = !reduce;
      result_.replay = replay(task_, *result_.trace);
      if (!result_.replay->ok) throw Bug("a trace does not replay: " + result_.replay->why_not);
    }
    return result_.verdict == Verdict::kViolated;
  }

  const Task& task_;
  Env& env_;
  uint64_t searched_ = 0;  // states of the exact machine
  Result result_;
};

Result NumericEngine::run(const Task& task, Env& env) const {
  return measured([&] { return Decision(task, env).decided(); });
}

}  // namespace

std::unique_ptr<Engine> make_numeric_engine() { return std::make_unique<NumericEngine>(); }

}  // namespace fenceline
