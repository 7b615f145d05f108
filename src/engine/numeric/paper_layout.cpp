// SPDX-License-Identifier: GPL-3.0-or-later
//
//   for k = first, ..., last:
//     reduce with buffers of k stores
//     an invariant excludes that one is too short  → and one excludes violations: verified; else alarm
//   → overflow
//
// Why that is sound: a buffer that is full stops its thread, so every run of the original is one of the
// reduced program unless a buffer is too short at some time (to_sc.h); and the first invariant says that none
// is. Whether a buffer is too short or the domain cannot tell is not known here, as in the paper.
//
// As in the paper's tool there is one set of numbers for each place and values of the booleans, and widening
// is the plain one. Its control is coarser than that of the paper: threads stop only where they can be
// noticed, and dead registers are forgotten (plan.h); both make it more precise. Cells of arrays at offsets
// that are not constants are not told apart, since all offsets are numbers here.
//
// A proof that the checker refuses is `unknown` here and not a Bug, so that a search over many points goes
// on. It happens for Kessels' algorithm on TSO without refinements. Why is not known: the engine may be wrong
// there or the checker too weak, and no verdict may rest on it until that is settled.
#include "engine/numeric/paper_layout.h"

#include <fmt/format.h>

#include "base/counted.h"
#include "check/check_certificate.h"
#include "engine/numeric/analysis.h"
#include "env/errors.h"

namespace fenceline {
namespace {

constexpr unsigned kDelay = 2;

AnalysisOptions analysis_options(const PaperOptions& options, const ReducedProgram& reduced) {
  AnalysisOptions analysis;
  analysis.domain = options.domain;
  analysis.fixpoint.disjuncts = 1;
  analysis.fixpoint.delay = kDelay;
  analysis.fixpoint.widen_gently = false;
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
      refused_ = false;
      const ReducedProgram reduced =
          to_sc(task_.program, task_.fences, task_.model, task_.property, slots, options_.refinements);
      const Analysis::Outcome overflow = holds(reduced, reduced.overflow_property);
      if (overflow == Analysis::Outcome::kLimit) return ended(PaperAnalysis::Outcome::kLimit);
      if (overflow != Analysis::Outcome::kHolds) continue;
      switch (holds(reduced, reduced.property)) {
        case Analysis::Outcome::kHolds:
          return ended(PaperAnalysis::Outcome::kVerified);
        case Analysis::Outcome::kLimit:
          return ended(PaperAnalysis::Outcome::kLimit);
        case Analysis::Outcome::kAlarm:
        case Analysis::Outcome::kExactAlarm:
          return ended(PaperAnalysis::Outcome::kAlarm);
      }
    }
    return ended(PaperAnalysis::Outcome::kOverflow);
  }

 private:
  PaperAnalysis ended(PaperAnalysis::Outcome outcome) {
    result_.outcome = outcome;
    if (outcome == PaperAnalysis::Outcome::kVerified && refused_)
      result_.outcome = PaperAnalysis::Outcome::kRefused;
    if (result_.outcome != PaperAnalysis::Outcome::kVerified) result_.certificate.reset();
    return result_;
  }

  Analysis::Outcome holds(const ReducedProgram& reduced, const Property& property) {
    const FenceSet no_fences;  // they are part of the reduced program
    const Task task{reduced.program, no_fences, memory_model("sc"), property};
    const Analysis analysis = analyze(task, analysis_options(options_, reduced), limits_);
    result_.keys += analysis.keys;
    result_.sets += analysis.sets;
    result_.steps += analysis.steps;
    result_.numeric_variables = analysis.numeric_variables;
    if (analysis.outcome == Analysis::Outcome::kLimit) result_.limit = analysis.limit;
    if (analysis.certificate) check(task, analysis);
    return analysis.outcome;
  }

  void check(const Task& task, const Analysis& analysis) {
    bool checked = false;
    if (analysis.sets <= options_.check_up_to) {
      const CertificateCheck check = check_certificate(task, *analysis.certificate, limits_);
      refused_ = refused_ || (!check.ok && !check.gave_up);
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
  bool refused_ = false;
  PaperAnalysis result_;
};

}  // namespace

std::string PaperAnalysis::reason() const {
  const std::string buffers = counted(slots, "store") + " per buffer";
  switch (outcome) {
    case Outcome::kVerified:
      return fmt::format("invariants of the reduced program exclude all violations ({}; {})", buffers,
                         counted(keys, "partition"));
    case Outcome::kAlarm:
      return fmt::format(
          "no invariant of the reduced program was found that excludes all violations ({}, one abstract "
          "element)",
          buffers);
    case Outcome::kOverflow:
      return fmt::format("the store buffer bound {} is exceeded, or the domain cannot show that it is not",
                         slots);
    case Outcome::kRefused:
      return fmt::format(
          "an invariant of the reduced program was found, but the independent check of it failed ({})",
          buffers);
    case Outcome::kLimit:
      break;
  }
  return "";
}

std::string cannot_analyze_reduced(const Task& task) {
  return cannot_reduce(task.program, task.model, task.property);
}

PaperAnalysis analyze_reduced(const Task& task, const PaperOptions& options, Limits& limits) {
  require(options.first_slots > 0 && options.first_slots <= options.last_slots, "buffers of no length");
  return ReducedAnalysis(task, options, limits).run();
}

}  // namespace fenceline
