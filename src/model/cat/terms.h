// SPDX-License-Identifier: GPL-3.0-or-later
//
// Makes terms of relational algebra: equal ones once, and simplified where that is cheap and obvious.
#pragma once

#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "model/cat/relational.h"

namespace fenceline::cat {

// Precondition of all: the operands are sets or relations as the operator needs them (TermOp).
class Terms {
 public:
  TermId base(std::string_view name, bool is_set);
  TermId empty(bool is_set);
  TermId universe(bool is_set);  // all events, or all pairs of events
  TermId identity();             // the base relation `id`
  TermId recursive(uint32_t index, bool is_set);

  TermId unite(TermId a, TermId b);
  TermId intersect(TermId a, TermId b);
  TermId minus(TermId a, TermId b);
  TermId complement(TermId a);
  TermId sequence(TermId a, TermId b);
  TermId inverse(TermId a);
  TermId transitive(TermId a);
  TermId reflexive(TermId a);
  TermId closure(TermId a);
  TermId product(TermId a, TermId b);
  TermId identity_on(TermId set);
  TermId domain(TermId a);
  TermId range(TermId a);

  const Term& operator[](TermId id) const { return terms_[id.index()]; }
  size_t size() const { return terms_.size(); }

 private:
  struct Hash {
    size_t operator()(const Term& term) const;
  };
  TermId intern(Term term);
  TermId make(TermOp op, bool is_set, TermId a = {}, TermId b = {});
  TermId commutative(TermOp op, TermId a, TermId b);
  bool is_empty(TermId a) const { return (*this)[a].op == TermOp::kEmpty; }
  bool is_universe(TermId a) const;
  bool is_base(TermId a, std::string_view name) const;

  std::vector<Term> terms_;
  std::unordered_map<Term, TermId, Hash> known_;
};

}  // namespace fenceline::cat
