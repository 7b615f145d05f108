// SPDX-License-Identifier: GPL-3.0-or-later
#include "engine/executions/active_terms.h"

#include "env/errors.h"

namespace fenceline::executions {
namespace {

bool accesses(const EventShape& event) {
  return event.kind == GraphEventKind::kRead || event.kind == GraphEventKind::kWrite;
}

// May the event be the second of a pair?
bool ends(Base base, const EventShape& event) {
  if (event.kind == GraphEventKind::kChoice) return false;
  switch (base) {
    case Base::kRf:
      return event.kind == GraphEventKind::kRead;
    case Base::kCo:
    case Base::kFr:
      return event.kind == GraphEventKind::kWrite;
    case Base::kRmw:
      return event.kind == GraphEventKind::kWrite && event.of_rmw;
    case Base::kEco:
    case Base::kLoc:
      return accesses(event);
    case Base::kPo:
    case Base::kAddr:
    case Base::kData:
    case Base::kCtrl:
    case Base::kInt:
    case Base::kAtomic:
      return !event.initial;
    case Base::kExt:
    case Base::kId:
      return true;
  }
  throw Bug("a base relation without a meaning");
}

// May the event be the first of a pair whose second is older?
bool begins(Base base, const EventShape& event) {
  switch (base) {
    case Base::kCo:
    case Base::kFr:
    case Base::kEco:
      return accesses(event);
    case Base::kLoc:
    case Base::kInt:
    case Base::kExt:
    case Base::kAtomic:
      return true;
    case Base::kPo:
    case Base::kRf:
    case Base::kAddr:
    case Base::kData:
    case Base::kCtrl:
    case Base::kRmw:
    case Base::kId:
      return false;
  }
  throw Bug("a base relation without a meaning");
}

// Sets: may the event be a member? Relations: may it be the second of a pair? By term; known of its operands.
bool may_end(const PlanTerm& term, const EventShape& event, const std::vector<bool>& ends_in) {
  const auto of = [&](uint32_t operand) { return operand != kNoTerm && ends_in[operand]; };
  switch (term.op) {
    case PlanOp::kSet:
      return (event.sets >> term.set_bit) & 1;
    case PlanOp::kBase:
      return ends(term.base, event);
    case PlanOp::kUnion:
      return of(term.a) || of(term.b);
    case PlanOp::kIntersect:
    case PlanOp::kTo:
      return of(term.a) && of(term.b);
    case PlanOp::kMinus:
    case PlanOp::kTransitive:
    case PlanOp::kWithin:
    case PlanOp::kOutside:
    case PlanOp::kIdentity:
    case PlanOp::kVariable:
      return of(term.a);
    case PlanOp::kSequence:
    case PlanOp::kFrom:
      return of(term.b);
    case PlanOp::kMeet:
      return of(term.a) && of(term.c);
    case PlanOp::kComplement:
    case PlanOp::kInverse:
    case PlanOp::kReflexive:
    case PlanOp::kProduct:
    case PlanOp::kDomain:
    case PlanOp::kRange:
      return true;
  }
  throw Bug("a term without a meaning");
}

}  // namespace

ActiveTerms::ActiveTerms(const ModelPlan& plan, const EventShape& event)
    : shape(event), evaluated(plan.first_flag_term(), 0) {
  std::vector<bool> ends_in(plan.first_flag_term());
  for (bool changed = true; changed;) {  // more than once because of variables
    changed = false;
    for (uint32_t id = 0; id < plan.first_flag_term(); ++id) {
      if (ends_in[id] || !may_end(plan.terms()[id], event, ends_in)) continue;
      ends_in[id] = true;
      changed = true;
    }
  }
  for (uint32_t id = 0; id < plan.first_flag_term(); ++id) {
    const PlanTerm& term = plan.terms()[id];
    if (term.op == PlanOp::kSet) {
      if (ends_in[id]) members.push_back(id);
      continue;
    }
    // These can change between older events although no operand does.
    const bool always = term.is_set || term.op == PlanOp::kComplement || term.op == PlanOp::kInverse ||
                        term.op == PlanOp::kProduct || (term.op == PlanOp::kBase && begins(term.base, event));
    if (ends_in[id] || always) evaluated[id] = 1;
    if (!term.is_set && !evaluated[id]) empty.push_back(id);
  }
}

}  // namespace fenceline::executions
