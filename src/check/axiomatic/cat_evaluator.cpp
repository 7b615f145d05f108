// SPDX-License-Identifier: GPL-3.0-or-later
//
// The terms that the constraints need form a graph, whose only cycles go through variables of `let rec`.
// Tarjan's algorithm gives its components, operands first, which is the order of evaluation. A component with
// a cycle starts from nothing and is evaluated again and again until its variables have the values of their
// bodies: the least solution, since every operator on the cycle is monotone (a model where one is not is
// rejected). So a later `let rec` may use the complement of an earlier one.
#include "check/axiomatic/cat_evaluator.h"

#include <algorithm>
#include <array>

#include "env/errors.h"

namespace fenceline::check {
namespace {

bool is_dynamic_base(std::string_view name) {
  return name == "rf" || name == "co" || name == "fr" || name == "FW";
}

// The operands; of a variable: its body. At most two, and needed often: no vector.
class Operands {
 public:
  Operands(const CatModel& model, TermId id) {
    const Term& term = model.term(id);
    if (term.op == TermOp::kRecursive) {
      terms_[count_++] = model.recursive[term.index];
    } else if (term.op != TermOp::kBase && term.op != TermOp::kEmpty) {
      if (term.a.valid()) terms_[count_++] = term.a;
      if (term.b.valid()) terms_[count_++] = term.b;
    }
  }
  const TermId* begin() const { return terms_.data(); }
  const TermId* end() const { return terms_.data() + count_; }
  size_t size() const { return count_; }
  TermId operator[](size_t i) const { return terms_[i]; }

 private:
  std::array<TermId, 2> terms_;
  size_t count_ = 0;
};

class Tarjan {
 public:
  explicit Tarjan(const CatModel& model) : model_(model), number_(model.terms.size(), 0), low_(number_) {}

  void visit(TermId id, std::vector<std::vector<TermId>>& components) {
    if (number_[id.index()] != 0) return;
    number_[id.index()] = low_[id.index()] = ++count_;
    open_.push_back(id);
    for (const TermId next : Operands(model_, id)) {
      visit(next, components);
      low_[id.index()] = std::min(low_[id.index()], low_[next.index()]);
    }
    if (low_[id.index()] != number_[id.index()]) return;
    std::vector<TermId> component;
    do {
      component.push_back(open_.back());
      low_[open_.back().index()] = kClosed;
      open_.pop_back();
    } while (component.back() != id);
    std::sort(component.begin(), component.end());
    components.push_back(std::move(component));
  }

 private:
  static constexpr size_t kClosed = static_cast<size_t>(-1);
  const CatModel& model_;
  std::vector<size_t> number_, low_;
  std::vector<TermId> open_;
  size_t count_ = 0;
};

}  // namespace

CatEvaluator::CatEvaluator(const CatModel& model)
    : model_(&model), sets_(model.terms.size()), relations_(model.terms.size()) {
  find_components();
  classify();
  make_plan();
}

// ---- The plan

void CatEvaluator::find_components() {
  Tarjan tarjan(*model_);
  std::vector<std::vector<TermId>> found;
  for (const Constraint& constraint : model_->constraints) tarjan.visit(constraint.term, found);
  component_of_.resize(model_->terms.size());
  for (std::vector<TermId>& terms : found) {
    for (const TermId term : terms) component_of_[term.index()] = components_.size();
    Component component{std::move(terms), false, false};
    for (const TermId id : component.terms) {
      const Term& term = model_->term(id);
      if (term.op == TermOp::kRecursive) component.recursive = true;
      const Operands used(*model_, id);
      for (size_t i = 0; i < used.size(); ++i) {
        if (component_of_[used[i].index()] != components_.size()) continue;
        if (term.op == TermOp::kComplement || (term.op == TermOp::kMinus && i == 1))
          throw Unsupported("a recursive definition that uses its own complement has no least solution");
      }
      if (term.op != TermOp::kBase) continue;
      component.dynamic = is_dynamic_base(term.name);
      (component.dynamic ? dynamic_bases_ : static_bases_).push_back({id, term.is_set, term.name});
    }
    for (const TermId id : component.terms)
      for (const TermId used : Operands(*model_, id)) {
        const size_t of = component_of_[used.index()];
        if (of < components_.size() && components_[of].dynamic) component.dynamic = true;
      }
    components_.push_back(std::move(component));
  }
}

// Whether values grow or shrink with rf, co and fr. On a cycle: assumed unless an operand contradicts it
// (greatest fixpoint).
void CatEvaluator::classify() {
  grows_.assign(model_->terms.size(), true);
  shrinks_.assign(model_->terms.size(), true);
  const auto classify_term = [&](TermId id) {
    const Term& term = model_->term(id);
    bool grows = true, shrinks = true;
    if (term.op == TermOp::kBase && is_dynamic_base(term.name)) {
      shrinks = false;
      grows = term.name != "FW";  // a last write is not the last when co goes on
    }
    const Operands used(*model_, id);
    for (size_t i = 0; i < used.size(); ++i) {
      const bool turned = term.op == TermOp::kComplement || (term.op == TermOp::kMinus && i == 1);
      grows = grows && (turned ? shrinks_ : grows_)[used[i].index()];
      shrinks = shrinks && (turned ? grows_ : shrinks_)[used[i].index()];
    }
    const bool changed = grows != grows_[id.index()] || shrinks != shrinks_[id.index()];
    grows_[id.index()] = grows;
    shrinks_[id.index()] = shrinks;
    return changed;
  };
  for (const Component& component : components_)
    for (bool changed = true; changed;) {
      changed = false;
      for (const TermId id : component.terms) changed = classify_term(id) || changed;
      changed = changed && component.recursive;
    }
}

void CatEvaluator::make_plan() {
  std::vector<bool> planned(components_.size()), needed;
  const auto add = [&](size_t constraint) {
    Planned entry{constraint, {}};
    // Components are in the order of evaluation: what the last one needs lies before it.
    needed.assign(components_.size(), false);
    needed[component_of_[model_->constraints[constraint].term.index()]] = true;
    for (size_t c = components_.size(); c-- > 0;) {
      if (!needed[c]) continue;
      for (const TermId id : components_[c].terms)
        for (const TermId used : Operands(*model_, id)) needed[component_of_[used.index()]] = true;
    }
    for (size_t c = 0; c < components_.size(); ++c) {
      if (!needed[c] || !components_[c].dynamic || planned[c]) continue;
      planned[c] = true;
      entry.components.push_back(c);
    }
    plan_.push_back(std::move(entry));
  };
  const auto excludes = [&](const Constraint& c) { return !c.flag && !c.negated && grows_[c.term.index()]; };
  const auto is_static = [&](const Constraint& c) {
    return !components_[component_of_[c.term.index()]].dynamic;
  };
  for (size_t i = 0; i < model_->constraints.size(); ++i) {
    if (is_static(model_->constraints[i]))
      static_constraints_.push_back(i);
    else if (excludes(model_->constraints[i]))
      add(i);
  }
  excluding_ = plan_.size();
  for (size_t i = 0; i < model_->constraints.size(); ++i)
    if (!is_static(model_->constraints[i]) && !excludes(model_->constraints[i])) add(i);
}

// ---- Values

void CatEvaluator::begin(size_t events) {
  events_ = events;
  for (const Component& component : components_)
    for (const TermId id : component.terms) {
      if (model_->term(id).is_set)
        sets_[id.index()].resize(events);
      else
        relations_[id.index()].resize(events);
    }
}

void CatEvaluator::evaluate_static() {
  for (const Component& component : components_)
    if (!component.dynamic) evaluate(component);
  static_hold_ = true;
  static_flags_.clear();
  for (const size_t constraint : static_constraints_) {
    if (model_->constraints[constraint].flag) {
      if (holds(constraint)) static_flags_.push_back(constraint);
    } else {
      static_hold_ = static_hold_ && holds(constraint);
    }
  }
}

void CatEvaluator::evaluate(const Component& component) {
  if (!component.recursive) return compute(component.terms.front());
  const auto is_variable = [&](TermId id) { return model_->term(id).op == TermOp::kRecursive; };
  for (const TermId id : component.terms) {
    if (!is_variable(id)) continue;
    if (model_->term(id).is_set)
      set(id).clear();
    else
      relation(id).clear();
  }
  for (bool changed = true; changed;) {
    changed = false;
    for (const TermId id : component.terms)  // variables come before what is built from them
      if (!is_variable(id)) compute(id);
    for (const TermId id : component.terms)
      if (is_variable(id)) changed = take_body(id) || changed;
  }
}

bool CatEvaluator::take_body(TermId variable) {
  const TermId body = model_->recursive[model_->term(variable).index];
  if (model_->term(variable).is_set) {
    if (set(variable) == set(body)) return false;
    set(variable).set_union(set(variable), set(body));
  } else {
    if (relation(variable) == relation(body)) return false;
    relation(variable).set_union(relation(variable), relation(body));
  }
  return true;
}

void CatEvaluator::compute(TermId id) {
  const Term& term = model_->term(id);
  if (term.op == TermOp::kBase) return;
  if (term.is_set) {
    EventSet& out = set(id);
    switch (term.op) {
      case TermOp::kEmpty:
        return out.clear();
      case TermOp::kUnion:
        return out.set_union(set(term.a), set(term.b));
      case TermOp::kIntersect:
        return out.set_intersection(set(term.a), set(term.b));
      case TermOp::kMinus:
        return out.set_difference(set(term.a), set(term.b));
      case TermOp::kComplement:
        return out.set_complement(set(term.a));
      case TermOp::kDomain:
        return out.set_domain(relation(term.a));
      case TermOp::kRange:
        return out.set_range(relation(term.a));
      default:
        throw Bug("a set made by an operator of relations");
    }
  }
  Relation& out = relation(id);
  switch (term.op) {
    case TermOp::kEmpty:
      return out.clear();
    case TermOp::kUnion:
      return out.set_union(relation(term.a), relation(term.b));
    case TermOp::kIntersect:
      return out.set_intersection(relation(term.a), relation(term.b));
    case TermOp::kMinus:
      return out.set_difference(relation(term.a), relation(term.b));
    case TermOp::kComplement:
      return out.set_complement(relation(term.a));
    case TermOp::kSequence:
      return out.set_sequence(relation(term.a), relation(term.b));
    case TermOp::kInverse:
      return out.set_inverse(relation(term.a));
    case TermOp::kTransitive:
      return out.set_transitive(relation(term.a));
    case TermOp::kReflexive:
      return out.set_reflexive(relation(term.a));
    case TermOp::kClosure:
      out.set_transitive(relation(term.a));
      return out.set_reflexive(out);
    case TermOp::kProduct:
      return out.set_product(set(term.a), set(term.b));
    case TermOp::kIdentity:
      return out.set_identity(set(term.a));
    default:
      throw Bug("a relation made by an operator of sets");
  }
}

// ---- Constraints

bool CatEvaluator::holds(size_t constraint) const {
  const Constraint& c = model_->constraints[constraint];
  const auto by_definition = [&] {
    if (model_->term(c.term).is_set) {
      require(c.kind == ConstraintKind::kEmpty, "a constraint about the cycles of a set");
      return sets_[c.term.index()].empty();
    }
    const Relation& r = relations_[c.term.index()];
    switch (c.kind) {
      case ConstraintKind::kAcyclic:
        return r.acyclic();
      case ConstraintKind::kIrreflexive:
        return r.irreflexive();
      case ConstraintKind::kEmpty:
        return r.empty();
    }
    throw Bug("a constraint without a meaning");
  };
  return by_definition() != c.negated;
}

bool CatEvaluator::excluded() {
  if (!static_hold_) return true;
  for (size_t i = 0; i < excluding_; ++i) {
    for (const size_t component : plan_[i].components) evaluate(components_[component]);
    if (!holds(plan_[i].constraint)) return true;
  }
  return false;
}

bool CatEvaluator::consistent() {
  if (!static_hold_) return false;
  flags_ = static_flags_;
  for (const Planned& planned : plan_) {
    for (const size_t component : planned.components) evaluate(components_[component]);
    const bool is_flag = model_->constraints[planned.constraint].flag;
    if (holds(planned.constraint) == is_flag) {
      if (!is_flag) return false;
      flags_.push_back(planned.constraint);
    }
  }
  return true;
}

std::vector<size_t> CatEvaluator::violated() {
  std::vector<size_t> found;
  flags_ = static_flags_;
  for (const size_t constraint : static_constraints_)
    if (!model_->constraints[constraint].flag && !holds(constraint)) found.push_back(constraint);
  for (const Planned& planned : plan_) {
    for (const size_t component : planned.components) evaluate(components_[component]);
    const bool is_flag = model_->constraints[planned.constraint].flag;
    if (holds(planned.constraint) == is_flag) (is_flag ? flags_ : found).push_back(planned.constraint);
  }
  std::sort(found.begin(), found.end());
  return found;
}

}  // namespace fenceline::check
