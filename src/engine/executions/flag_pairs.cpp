// SPDX-License-Identifier: GPL-3.0-or-later
#include "engine/executions/flag_pairs.h"

#include <algorithm>
#include <utility>

#include "env/errors.h"

namespace fenceline::executions {

FlagPairs::FlagPairs(const ModelPlan& plan) : plan_(plan) {
  if (plan.flags_are_about_pairs()) of_one_cell_ = !any_flag(nullptr, nullptr, false);
}

size_t FlagPairs::number_of(const EventShape& shape) {
  const auto known = std::find(shapes_.begin(), shapes_.end(), shape);
  if (known != shapes_.end()) return static_cast<size_t>(known - shapes_.begin());
  shapes_.push_back(shape);
  may_raise_.emplace_back();
  const size_t number = shapes_.size() - 1;
  for (size_t other = 0; other <= number; ++other) {
    const bool may = any_flag(&shape, &shapes_[other], true) || any_flag(&shapes_[other], &shape, true);
    may_raise_[number].push_back(may);
    if (other != number) may_raise_[other].push_back(may);
  }
  return number;
}

bool FlagPairs::any_flag(const EventShape* first, const EventShape* second, bool same_cell) const {
  return std::any_of(plan_.flags().begin(), plan_.flags().end(), [&](const PlanConstraint& flag) {
    return flag.term != kNoTerm && holds(flag.term, first, second, same_cell) != Truth::kFalse;
  });
}

// Is (first, second) in the relation?
FlagPairs::Truth FlagPairs::holds(uint32_t id, const EventShape* first, const EventShape* second,
                                  bool same_cell) const {
  const PlanTerm& term = plan_.terms()[id];
  const auto of = [&](uint32_t operand) { return holds(operand, first, second, same_cell); };
  const auto negation = [](Truth t) {
    return t == Truth::kUnknown ? t : t == Truth::kTrue ? Truth::kFalse : Truth::kTrue;
  };
  const auto is_member = [&](const EventShape* event, uint32_t set) {
    const PlanTerm& members = plan_.terms()[set];
    if (event == nullptr || members.op != PlanOp::kSet) return Truth::kUnknown;
    return (event->sets >> members.set_bit) & 1 ? Truth::kTrue : Truth::kFalse;
  };
  const auto of_base = [&](Base base) {
    if (base != Base::kLoc) return Truth::kUnknown;
    return same_cell ? Truth::kTrue : Truth::kFalse;
  };
  if (term.component != kNoTerm) return Truth::kUnknown;
  switch (term.op) {
    case PlanOp::kBase:
      return of_base(term.base);
    case PlanOp::kUnion:
      return std::max(of(term.a), of(term.b));
    case PlanOp::kIntersect:
      return std::min(of(term.a), of(term.b));
    case PlanOp::kMinus:
      return std::min(of(term.a), negation(of(term.b)));
    case PlanOp::kComplement:
      return negation(of(term.a));
    case PlanOp::kWithin:
      return std::min(of(term.a), of_base(term.base));
    case PlanOp::kOutside:
      return std::min(of(term.a), negation(of_base(term.base)));
    case PlanOp::kFrom:
      return std::min(is_member(first, term.a), of(term.b));
    case PlanOp::kTo:
      return std::min(of(term.a), is_member(second, term.b));
    case PlanOp::kProduct:
      return std::min(is_member(first, term.a), is_member(second, term.b));
    case PlanOp::kInverse:
      return holds(term.a, second, first, same_cell);
    case PlanOp::kMeet:
      return std::min(of(term.a), Truth::kUnknown);
    case PlanOp::kSequence:
    case PlanOp::kTransitive:
    case PlanOp::kReflexive:
    case PlanOp::kIdentity:
    case PlanOp::kVariable:
      return Truth::kUnknown;
    case PlanOp::kSet:
    case PlanOp::kDomain:
    case PlanOp::kRange:
      break;
  }
  throw Bug("a set that is taken as a relation");
}

}  // namespace fenceline::executions
