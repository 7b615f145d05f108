// SPDX-License-Identifier: GPL-3.0-or-later
#include "engine/numeric/analysis.h"

#include <fmt/format.h>

#include "engine/numeric/invariant_text.h"
#include "engine/numeric/property_check.h"

namespace fenceline::numeric {
namespace {

constexpr unsigned kNarrowings = 3;

bool raises_alarm(const Task& task, const Invariant& invariant, const PropertyCheck& check) {
  if (looks_at_errors(task.property.kind) && invariant.some_step_fails()) return true;
  for (const Invariant::Node& node : invariant.nodes())
    for (const Invariant::Disjunct& disjunct : node.disjuncts) {
      AbstractState state = node.state;
      state.element = disjunct.element;
      if (check.may_be_bad(state)) return true;
    }
  return false;
}

NumericCertificate certificate_of(const Plan& plan, const Invariant& invariant) {
  NumericCertificate certificate;
  for (size_t o = 0; o < plan.program().objects.size(); ++o)
    certificate.smashed.push_back(plan.smashed(ObjectId(o)));
  certificate.cut_points = plan.cut_points();
  for (const Invariant::Node& node : invariant.nodes()) {
    if (node.disjuncts.empty()) continue;
    NumericState state;
    state.locations = node.state.locations;
    state.memory = node.state.memory;
    state.registers = node.state.registers;
    state.buffers = node.state.buffers;
    state.dimensions = node.disjuncts.front().element.dimensions();
    for (const Invariant::Disjunct& disjunct : node.disjuncts)
      state.disjuncts.push_back(disjunct.element.constraints());
    certificate.states.push_back(std::move(state));
  }
  return certificate;
}

// None: a step fails outside a cut point; that point is a cut point of options.plan now.
std::optional<Analysis> analyze_once(const Task& task, AnalysisOptions& options, Limits& limits) {
  const Plan plan(task, options.plan);
  const AbstractMachine machine(plan, options.slots, options.domain);
  const PropertyCheck check(plan, machine);
  const auto may_be_bad = [&](const AbstractState& state) { return check.may_be_bad(state); };
  Invariant invariant(plan, machine, options.fixpoint, limits);
  invariant.errors_matter = looks_at_errors(task.property.kind);
  invariant.is_bad = may_be_bad;

  Invariant::Outcome outcome = invariant.compute();
  if (outcome == Invariant::Outcome::kStuck) {
    options.plan.extra_cut_points.insert(*invariant.stuck_at());
    return std::nullopt;
  }
  Analysis analysis;
  bool alarm = outcome == Invariant::Outcome::kBadState || outcome == Invariant::Outcome::kGaveUp;
  if (outcome == Invariant::Outcome::kFixpoint) {
    alarm = raises_alarm(task, invariant, check);
    for (unsigned i = 0; alarm && i < kNarrowings && outcome == Invariant::Outcome::kFixpoint; ++i) {
      outcome = invariant.narrow();
      alarm = raises_alarm(task, invariant, check);
    }
  }
  analysis.outcome = outcome == Invariant::Outcome::kLimit      ? Analysis::Outcome::kLimit
                     : outcome == Invariant::Outcome::kBadState ? Analysis::Outcome::kExactAlarm
                     : alarm                                    ? Analysis::Outcome::kAlarm
                                                                : Analysis::Outcome::kHolds;
  analysis.limit = invariant.limit();
  analysis.partitions = invariant.nodes().size();
  analysis.sets = invariant.sets();
  analysis.steps = invariant.steps();
  analysis.numeric_variables = plan.numeric_variables();
  if (options.text) analysis.text = invariant_text(plan, invariant, may_be_bad);
  if (options.certificate && analysis.outcome == Analysis::Outcome::kHolds)
    analysis.certificate = certificate_of(plan, invariant);
  return analysis;
}

}  // namespace

std::string AnalysisOptions::name() const {
  return fmt::format("{}, {} {}", to_string(domain), fixpoint.disjuncts,
                     fixpoint.disjuncts == 1 ? "set" : "sets");
}

Analysis analyze(const Task& task, AnalysisOptions options, Limits& limits) {
  const PplSession owner(&limits);
  try {
    for (;;)
      if (std::optional<Analysis> analysis = analyze_once(task, options, limits)) return *analysis;
  } catch (const OperationAbandoned&) {
    Analysis abandoned;
    abandoned.outcome = Analysis::Outcome::kLimit;
    abandoned.limit = limits.poll();
    return abandoned;
  }
}

}  // namespace fenceline::numeric
