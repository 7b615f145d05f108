// SPDX-License-Identifier: GPL-3.0-or-later
//
// Models as relational algebra without a parser: terms by operators.
#pragma once

#include <algorithm>
#include <string>
#include <utility>

#include "model/cat/relational.h"

namespace fenceline::testing {

class CatBuilder {
 public:
  struct T {
    CatBuilder* builder;
    TermId id;
  };

  explicit CatBuilder(std::string name) { model_.name = std::move(name); }

  T base(const std::string& name) {
    return add({TermOp::kBase, base_sort(name) != BaseSort::kRelation, {}, {}, name, 0});
  }
  T empty_relation() { return add({TermOp::kEmpty, false, {}, {}, "", 0}); }
  T variable(bool is_set) {
    model_.recursive.emplace_back();
    return add({TermOp::kRecursive, is_set, {}, {}, "", static_cast<uint32_t>(model_.recursive.size() - 1)});
  }
  void define(T variable, T body) { model_.recursive[model_.term(variable.id).index] = body.id; }
  T make(TermOp op, T a, T b) { return add({op, is_set(a), a.id, b.id, "", 0}); }
  T make(TermOp op, T a) { return add({op, is_set(a), a.id, {}, "", 0}); }
  T make_as(bool set, TermOp op, T a, TermId b = {}) { return add({op, set, a.id, b, "", 0}); }
  bool is_set(T t) const { return model_.term(t.id).is_set; }

  void demand(ConstraintKind kind, T term, std::string name, bool negated = false, bool flag = false) {
    model_.constraints.push_back({kind, negated, flag, term.id, std::move(name), {}});
  }
  void acyclic(T term, std::string name) { demand(ConstraintKind::kAcyclic, term, std::move(name)); }
  void irreflexive(T term, std::string name) { demand(ConstraintKind::kIrreflexive, term, std::move(name)); }

  CatModel finish() { return std::move(model_); }
  const CatModel& model() const { return model_; }

 private:
  T add(Term term) {
    const auto found = std::find(model_.terms.begin(), model_.terms.end(), term);
    const auto index = static_cast<size_t>(found - model_.terms.begin());
    if (found == model_.terms.end()) model_.terms.push_back(std::move(term));
    return {this, TermId(index)};
  }

  CatModel model_;
};

using CatTerm = CatBuilder::T;
inline CatTerm operator|(CatTerm a, CatTerm b) { return a.builder->make(TermOp::kUnion, a, b); }
inline CatTerm operator&(CatTerm a, CatTerm b) { return a.builder->make(TermOp::kIntersect, a, b); }
inline CatTerm operator-(CatTerm a, CatTerm b) { return a.builder->make(TermOp::kMinus, a, b); }
inline CatTerm operator~(CatTerm a) { return a.builder->make(TermOp::kComplement, a); }
inline CatTerm operator>>(CatTerm a, CatTerm b) { return a.builder->make(TermOp::kSequence, a, b); }  // a ; b
inline CatTerm inverse(CatTerm a) { return a.builder->make(TermOp::kInverse, a); }
inline CatTerm plus(CatTerm a) { return a.builder->make(TermOp::kTransitive, a); }
inline CatTerm star(CatTerm a) { return a.builder->make(TermOp::kClosure, a); }
inline CatTerm maybe(CatTerm a) { return a.builder->make(TermOp::kReflexive, a); }
inline CatTerm only(CatTerm a) { return a.builder->make_as(false, TermOp::kIdentity, a); }  // [a]
inline CatTerm product(CatTerm a, CatTerm b) { return a.builder->make_as(false, TermOp::kProduct, a, b.id); }
inline CatTerm domain(CatTerm a) { return a.builder->make_as(true, TermOp::kDomain, a); }
inline CatTerm range(CatTerm a) { return a.builder->make_as(true, TermOp::kRange, a); }

}  // namespace fenceline::testing
