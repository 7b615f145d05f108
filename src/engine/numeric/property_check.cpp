// SPDX-License-Identifier: GPL-3.0-or-later
//
// Flushes are lazy, so a state also represents those in which some of its pending stores have been flushed. A
// formula about every state is evaluated in all of these, one about final states where no store is pending.
#include "engine/numeric/property_check.h"

#include <algorithm>

namespace fenceline::numeric {

bool PropertyCheck::may_be_bad(const AbstractState& state) const {
  const PropertyKind kind = plan_.task().property.kind;
  if (!has_formula(kind)) return false;
  if (!looks_at_end(kind)) {
    const std::vector<AbstractState> all = machine_.with_flushes(state, plan_.monitored_cells());
    return std::any_of(all.begin(), all.end(), [this](const auto& one) { return may_violate(one); });
  }
  if (!all_ended(state)) return false;
  const std::vector<bool> everything(plan_.program().cell_count, true);
  for (const AbstractState& one : machine_.with_flushes(state, everything)) {
    const auto drained = [](const NumericBuffer& b) { return b.entries.empty() && b.tail.empty(); };
    if (std::all_of(one.buffers.begin(), one.buffers.end(), drained) && may_violate(one)) return true;
  }
  return false;
}

bool PropertyCheck::may_violate(const AbstractState& state) const {
  const Property& property = plan_.task().property;
  const bool bad = property.kind == PropertyKind::kNever;
  for (const Evaluator::TruthCase& one : Evaluator(plan_, state).truths(property.formula, state.element))
    if (one.failed || one.truth == bad) return true;
  return false;
}

bool PropertyCheck::all_ended(const AbstractState& state) const {
  for (size_t t = 0; t < state.locations.size(); ++t)
    if (plan_.overlay().at(ThreadId(t), state.locations[t]).kind != InstrKind::kHalt) return false;
  return true;
}

}  // namespace fenceline::numeric
