// SPDX-License-Identifier: GPL-3.0-or-later
//
//   for k = first, ..., last:
//     reduce with buffers of k stores
//     an invariant excludes that one is too short  → and one excludes violations: verified; else alarm
//   → overflow
//
// Why that is sound: a full buffer stops its thread, so every execution of the original is one of the reduced
// program unless a buffer is too short at some time (to_sc.h); and the first invariant says that none is.
// Whether a buffer is too short or the domain is too weak to exclude it is not known here, as in the paper.
//
// As in the paper's tool there is one abstract element for each combination of program counters and values of
// the booleans, and the standard widening. The control is coarser than in the paper: threads are interrupted
// only at cut points, and dead registers are projected out (plan.h); both make it more precise. Cells of
// arrays at offsets that are not constants are not tracked separately, since all offsets are dimensions here.
//
// A proof that the checker rejects is `unknown` here and not a Bug, so that a search over many points goes
// on. It happens for Kessels' algorithm on TSO without refinements. The cause is not known: either the engine
// is unsound there or the checker too weak, so no verdict may depend on it.
#include "reference/paper_layout.h"

#include <fmt/format.h>

#include "base/counted.h"
#include "check/check_certificate.h"
#include "engine/cegar/exact_search.h"
#include "engine/numeric/analysis.h"
#include "engine/numeric/options.h"
#include "env/errors.h"
#include "reference/options.h"

namespace fenceline::reference {
namespace {

constexpr unsigned kDelay = 2;

numeric::AnalysisOptions analysis_options(const PaperOptions& options,
                                          const transform::ReducedProgram& reduced) {
  numeric::AnalysisOptions analysis;
  analysis.domain = options.domain;
  analysis.fixpoint.disjuncts = 1;
  analysis.fixpoint.delay = kDelay;
  analysis.fixpoint.use_thresholds = false;
  analysis.plan.everything_numeric = true;
  analysis.plan.arrays = options.arrays;
  for (const ObjectId object : reduced.remembered)
    if (object.valid()) analysis.plan.always_explicit.push_back(object);
  analysis.certificate = options.check_up_to > 0;
  return analysis;
}

class ReducedAnalysis {
 public:
  ReducedAnalysis(const Task& task, const PaperOptions& options, Limits& limits)
      : task_(task), options_(options), limits_(limits) {}

  PaperAnalysis run() {
    for (unsigned slots = options_.first_slots; slots <= options_.last_slots; ++slots) {
      result_.slots = slots;
      result_.certificate.reset();
      rejected_ = false;
      const transform::ReducedProgram reduced = transform::to_sc(task_.program, task_.fences, task_.model,
                                                                 task_.property, slots, options_.refinements);
      const numeric::Analysis::Outcome overflow = holds(reduced, reduced.overflow_property);
      if (overflow == numeric::Analysis::Outcome::kLimit) return ended(PaperAnalysis::Outcome::kLimit);
      if (overflow != numeric::Analysis::Outcome::kHolds) continue;
      switch (holds(reduced, reduced.property)) {
        case numeric::Analysis::Outcome::kHolds:
          return ended(PaperAnalysis::Outcome::kVerified);
        case numeric::Analysis::Outcome::kLimit:
          return ended(PaperAnalysis::Outcome::kLimit);
        case numeric::Analysis::Outcome::kAlarm:
        case numeric::Analysis::Outcome::kExactAlarm:
          return ended(PaperAnalysis::Outcome::kAlarm);
      }
    }
    return ended(PaperAnalysis::Outcome::kOverflow);
  }

 private:
  PaperAnalysis ended(PaperAnalysis::Outcome outcome) {
    result_.outcome = outcome;
    if (outcome == PaperAnalysis::Outcome::kVerified && rejected_)
      result_.outcome = PaperAnalysis::Outcome::kRejected;
    if (result_.outcome != PaperAnalysis::Outcome::kVerified) result_.certificate.reset();
    return result_;
  }

  numeric::Analysis::Outcome holds(const transform::ReducedProgram& reduced, const Property& property) {
    const FenceSet no_fences;  // they are part of the reduced program
    const Task task{reduced.program, no_fences, memory_model("sc"), property};
    const numeric::Analysis analysis = numeric::analyze(task, analysis_options(options_, reduced), limits_);
    result_.partitions += analysis.partitions;
    result_.sets += analysis.sets;
    result_.steps += analysis.steps;
    result_.numeric_variables = analysis.numeric_variables;
    if (analysis.outcome == numeric::Analysis::Outcome::kLimit) result_.limit = analysis.limit;
    if (analysis.certificate) check(task, analysis);
    return analysis.outcome;
  }

  void check(const Task& task, const numeric::Analysis& analysis) {
    bool checked = false;
    if (analysis.sets <= options_.check_up_to) {
      const check::CertificateCheck check = check::check_certificate(task, *analysis.certificate, limits_);
      rejected_ = rejected_ || (!check.ok && !check.gave_up);
      checked = check.ok;
    }
    const uint64_t before = result_.certificate ? result_.certificate->size : 0;
    const bool all_before = !result_.certificate || result_.certificate->checked;
    result_.certificate =
        Certificate{"inductive invariant of the reduced program",
                    before + analysis.certificate->states.size(), all_before && checked, "states"};
  }

  const Task& task_;
  const PaperOptions& options_;
  Limits& limits_;
  bool rejected_ = false;
  PaperAnalysis result_;
};

}  // namespace

std::string PaperAnalysis::reason() const {
  const std::string buffers = counted(slots, "store") + " per buffer";
  switch (outcome) {
    case Outcome::kVerified:
      return fmt::format("invariants of the reduced program exclude all violations ({}; {})", buffers,
                         counted(partitions, "partition"));
    case Outcome::kAlarm:
      return fmt::format(
          "no invariant of the reduced program was found that excludes all violations ({}, one abstract "
          "element)",
          buffers);
    case Outcome::kOverflow:
      return fmt::format("the store buffer bound {} is exceeded, or the domain cannot show that it is not",
                         slots);
    case Outcome::kRejected:
      return fmt::format(
          "an invariant of the reduced program was found, but the independent check of it failed ({})",
          buffers);
    case Outcome::kLimit:
      break;
  }
  return "";
}

std::string paper_layout_unsupported(const Task& task) {
  return transform::reduction_unsupported(task.program, task.model, task.property);
}

PaperAnalysis analyze_reduced(const Task& task, const PaperOptions& options, Limits& limits) {
  require(options.first_slots > 0 && options.first_slots <= options.last_slots, "buffers of no length");
  return ReducedAnalysis(task, options, limits).run();
}

// ---- As a layout of the numeric engine

namespace {

constexpr uint64_t kThoroughStates = 300'000;  // of the exact machine, where there is no proof
constexpr uint64_t kCheapSets = 5'000;  // a proof with at most so many is checked again unless forbidden

PaperOptions paper_options(const Task& task, const numeric::NumericOptions& options, PaperRefinement refine,
                           Certify certify) {
  if (!options.invariant.empty())
    throw UsageError(
        "--invariant: --layout paper computes an invariant of the reduced program, which is not written");
  PaperOptions paper;
  if (options.slots != 0) paper.first_slots = paper.last_slots = static_cast<unsigned>(options.slots);
  paper.domain = options.domain.value_or(paper.domain);
  paper.arrays = options.arrays;
  if (refine == PaperRefinement::kAll)
    for (const transform::FlushPoint& point : transform::flush_points(task.program, task.fences, task.model))
      paper.refinements.insert(point);
  if (certify != Certify::kNever)
    paper.check_up_to = certify == Certify::kAuto ? kCheapSets : std::numeric_limits<uint64_t>::max();
  return paper;
}

// With --layout paper there is one analysis, that of the paper, and then a search of the exact machine.
class PaperDecision {
 public:
  PaperDecision(const Task& task, Env& env) : task_(task), env_(env) {}

  Result decide() {
    if (const std::string why = paper_layout_unsupported(task_); !why.empty())
      throw Unsupported(fmt::format("the numeric engine with --layout paper {}", why));
    const auto& numeric = env_.options.of<numeric::NumericOptions>();
    const PaperOptions options =
        paper_options(task_, numeric, env_.options.of<ReferenceOptions>().refine, env_.options.certify);
    const PaperAnalysis analysis = analyze_reduced(task_, options, env_.limits);
    result_.statistics.states = analysis.partitions;
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
    else if (!limited && numeric.confirm)
      look_for_counterexample();
    result_.statistics.figures.emplace_back("searched_states", static_cast<double>(searched_));
    return std::move(result_);
  }

 private:
  void look_for_counterexample() {
    for (const bool reduce : {true, false}) {
      engine::ExactSearch search(task_, env_, reduce, reduce ? kThoroughStates : 8 * kThoroughStates);
      search.run();
      searched_ += search.states();
      if (!search.violated()) return;
      std::string why_not;
      engine::Concretised found = search.concretise(why_not).value();
      result_.statistics.states = search.states();
      result_.statistics.transitions = search.transitions();
      result_.reason = "an execution of the exact machine violates the property";
      result_.conclusion = TraceCounterexample{
          .trace = std::move(found.trace), .replay = std::move(found.replay), .shortest = !reduce};
    }
  }

  const Task& task_;
  Env& env_;
  uint64_t searched_ = 0;  // states of the exact machine
  Result result_;
};

}  // namespace

Result decide_in_paper_layout(const Task& task, Env& env) { return PaperDecision(task, env).decide(); }

}  // namespace fenceline::reference
