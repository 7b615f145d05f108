// SPDX-License-Identifier: GPL-3.0-or-later
//
// The laws used here hold in every execution; each makes a term smaller, or gives equal terms the same form
// (`b | a` is `a | b` if that is there). A model that goes through many small functions shrinks a lot by
// them.
#include "model/cat/terms.h"

#include <algorithm>
#include <array>
#include <functional>
#include <utility>

#include "base/hash.h"

namespace fenceline::cat {
namespace {

constexpr std::array<std::string_view, 6> kSymmetric = {"id", "loc", "int", "ext", "atomic", "operation"};
constexpr std::array<std::string_view, 4> kReflexive = {"id", "loc", "int",
                                                        "ext"};  // of some events at least

template <class Names>
bool contains(const Names& names, std::string_view name) {
  return std::find(names.begin(), names.end(), name) != names.end();
}

}  // namespace

size_t Terms::Hash::operator()(const Term& term) const {
  uint64_t hash = std::hash<std::string>{}(term.name);
  hash = hash_combine(hash, static_cast<uint64_t>(term.op) * 2 + (term.is_set ? 1 : 0));
  hash = hash_combine(hash, term.a.value());
  hash = hash_combine(hash, term.b.value());
  return hash_combine(hash, term.index);
}

TermId Terms::intern(Term term) {
  const auto [at, is_new] = known_.try_emplace(term, TermId(terms_.size()));
  if (is_new) terms_.push_back(std::move(term));
  return at->second;
}

TermId Terms::make(TermOp op, bool is_set, TermId a, TermId b) {
  Term term;
  term.op = op;
  term.is_set = is_set;
  term.a = a;
  term.b = b;
  return intern(std::move(term));
}

TermId Terms::base(std::string_view name, bool is_set) {
  Term term;
  term.op = TermOp::kBase;
  term.is_set = is_set;
  term.name = name;
  return intern(std::move(term));
}

TermId Terms::recursive(uint32_t index, bool is_set) {
  Term term;
  term.op = TermOp::kRecursive;
  term.is_set = is_set;
  term.index = index;
  return intern(std::move(term));
}

TermId Terms::empty(bool is_set) { return make(TermOp::kEmpty, is_set); }
TermId Terms::identity() { return base("id", false); }

TermId Terms::universe(bool is_set) {
  const TermId events = base("_", true);
  return is_set ? events : make(TermOp::kProduct, false, events, events);
}

bool Terms::is_base(TermId a, std::string_view name) const {
  const Term& term = (*this)[a];
  return term.op == TermOp::kBase && term.name == name;
}

bool Terms::is_universe(TermId a) const {
  const Term& term = (*this)[a];
  if (term.op == TermOp::kProduct) return is_base(term.a, "_") && is_base(term.b, "_");
  return is_base(a, "_");
}

TermId Terms::commutative(TermOp op, TermId a, TermId b) {
  Term swapped;
  swapped.op = op;
  swapped.is_set = (*this)[a].is_set;
  swapped.a = b;
  swapped.b = a;
  const auto known = known_.find(swapped);
  return known != known_.end() ? known->second : make(op, swapped.is_set, a, b);
}

TermId Terms::unite(TermId a, TermId b) {
  if (a == b || is_empty(b) || is_universe(a)) return a;
  if (is_empty(a) || is_universe(b)) return b;
  return commutative(TermOp::kUnion, a, b);
}

TermId Terms::intersect(TermId a, TermId b) {
  if (a == b || is_empty(a) || is_universe(b)) return a;
  if (is_empty(b) || is_universe(a)) return b;
  return commutative(TermOp::kIntersect, a, b);
}

TermId Terms::minus(TermId a, TermId b) {
  const bool is_set = (*this)[a].is_set;
  if (is_empty(a) || is_empty(b)) return a;
  if (a == b || is_universe(b)) return empty(is_set);
  if (is_base(b, "id") && (*this)[a].op == TermOp::kBase && !contains(kReflexive, (*this)[a].name)) return a;
  if (is_universe(a)) return complement(b);
  return make(TermOp::kMinus, is_set, a, b);
}

TermId Terms::complement(TermId a) {
  const Term& term = (*this)[a];
  if (term.op == TermOp::kComplement) return term.a;
  if (is_empty(a)) return universe(term.is_set);
  if (is_universe(a)) return empty(term.is_set);
  return make(TermOp::kComplement, term.is_set, a);
}

TermId Terms::sequence(TermId a, TermId b) {
  if (is_empty(a) || is_base(b, "id")) return a;
  if (is_empty(b) || is_base(a, "id")) return b;
  const Term &left = (*this)[a], &right = (*this)[b];
  if (left.op == TermOp::kIdentity && right.op == TermOp::kIdentity)
    return identity_on(intersect(left.a, right.a));
  if (left.op == TermOp::kInverse && is_base(left.a, "rf") && is_base(b, "co")) return base("fr", false);
  return make(TermOp::kSequence, false, a, b);
}

TermId Terms::inverse(TermId a) {
  const Term term = (*this)[a];
  if (term.op == TermOp::kInverse) return term.a;
  if (term.op == TermOp::kEmpty || term.op == TermOp::kIdentity) return a;
  if (term.op == TermOp::kProduct) return product(term.b, term.a);
  if (term.op == TermOp::kBase && contains(kSymmetric, term.name)) return a;
  return make(TermOp::kInverse, false, a);
}

TermId Terms::transitive(TermId a) {
  const Term& term = (*this)[a];
  if (term.op == TermOp::kEmpty || term.op == TermOp::kTransitive || term.op == TermOp::kClosure ||
      term.op == TermOp::kIdentity || is_base(a, "id"))
    return a;
  if (term.op == TermOp::kReflexive) return closure(term.a);
  return make(TermOp::kTransitive, false, a);
}

TermId Terms::reflexive(TermId a) {
  const Term& term = (*this)[a];
  if (term.op == TermOp::kReflexive || term.op == TermOp::kClosure || is_base(a, "id")) return a;
  if (term.op == TermOp::kEmpty || term.op == TermOp::kIdentity) return identity();
  if (term.op == TermOp::kTransitive) return closure(term.a);
  return make(TermOp::kReflexive, false, a);
}

TermId Terms::closure(TermId a) {
  const Term& term = (*this)[a];
  if (term.op == TermOp::kClosure || is_base(a, "id")) return a;
  if (term.op == TermOp::kEmpty || term.op == TermOp::kIdentity) return identity();
  if (term.op == TermOp::kTransitive || term.op == TermOp::kReflexive) return closure(term.a);
  return make(TermOp::kClosure, false, a);
}

TermId Terms::product(TermId a, TermId b) {
  if (is_empty(a) || is_empty(b)) return empty(false);
  return make(TermOp::kProduct, false, a, b);
}

TermId Terms::identity_on(TermId set) {
  if (is_empty(set)) return empty(false);
  if (is_universe(set)) return identity();
  return make(TermOp::kIdentity, false, set);
}

TermId Terms::domain(TermId a) {
  const Term& term = (*this)[a];
  if (term.op == TermOp::kEmpty) return empty(true);
  if (term.op == TermOp::kIdentity) return term.a;
  if (is_base(a, "id")) return universe(true);
  if (term.op == TermOp::kInverse) return range(term.a);
  return make(TermOp::kDomain, true, a);
}

TermId Terms::range(TermId a) {
  const Term& term = (*this)[a];
  if (term.op == TermOp::kEmpty) return empty(true);
  if (term.op == TermOp::kIdentity) return term.a;
  if (is_base(a, "id")) return universe(true);
  if (term.op == TermOp::kInverse) return domain(term.a);
  return make(TermOp::kRange, true, a);
}

}  // namespace fenceline::cat
