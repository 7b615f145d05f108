// SPDX-License-Identifier: GPL-3.0-or-later
#include "engine/sat/redirected_reads.h"

#include <algorithm>

#include "engine/sat/monotone.h"
#include "engine/sat/preserved_order.h"
#include "engine/sat/rmw_scene.h"

namespace fenceline::sat {
namespace {

RmwScene facts_of(const Instruction& instruction, RedirectedReads::Source source) {
  RmwScene facts{.instruction = instruction};
  facts.source_inside = source == RedirectedReads::Source::kOwnThread;
  facts.together = source == RedirectedReads::Source::kOfReader;
  return facts;
}

}  // namespace

RedirectedReads::RedirectedReads(const CatModel& model, const Instruction& instruction, Source source)
    : model_(model),
      instruction_(instruction),
      source_(source),
      about_their_ends_(terms_about_their_ends(model)),
      names_rf_(model.terms.size()),
      gains_(model.terms.size()) {
  RmwScene facts = facts_of(instruction, source);
  if (facts.together) {
    // If r' cannot come before s in their thread, it comes behind it.
    facts.together_po = bit(kFourth, kSource);
    const bool impossible = scene_of(facts).forbidden(model);
    facts.together_po = impossible ? bit(kSource, kFourth) : 0;
  }
  bounds_ = scene_of(facts).evaluate(model);
  const auto names = [&](TermId id) { return id.valid() && names_rf_[id.index()]; };
  for (size_t i = 0; i < model.terms.size(); ++i) {
    const Term& t = model.terms[i];
    names_rf_[i] =
        (t.op == TermOp::kBase && t.name == "rf") || t.op == TermOp::kRecursive || names(t.a) || names(t.b);
    gains_[i] = gain_of(t, TermId(i));
  }
}

bool RedirectedReads::is(TermId id, std::string_view base) const {
  return term(id).op == TermOp::kBase && term(id).name == base;
}

// Operands of nested unions, intersections or compositions.
void RedirectedReads::flatten(TermId id, TermOp op, std::vector<TermId>& result) const {
  if (term(id).op != op) return result.push_back(id);
  flatten(term(id).a, op, result);
  flatten(term(id).b, op, result);
}

// One that certainly exists, through known events.
bool RedirectedReads::has_path(TermId id, size_t from, size_t to) const {
  constexpr size_t kKnown = 4;
  Pairs paths = bounds_[id.index()].lower & all_pairs(kKnown, false);
  for (size_t k = 0; k < kKnown; ++k)
    for (size_t x = 0; x < kKnown; ++x)
      for (size_t y = 0; y < kKnown; ++y)
        if ((paths & bit(x, k)) != 0 && (paths & bit(k, y)) != 0) paths |= bit(x, y);
  return (paths & bit(from, to)) != 0;
}

// ---- New pairs

RedirectedReads::Gain RedirectedReads::gain_of(const Term& t, TermId id) const {
  const auto none = [&](TermId operand) { return !operand.valid() || gain(operand).none; };
  switch (t.op) {
    case TermOp::kBase:
      if (t.name == "rf") return {false, true, true};
      return t.name == "FW" ? anything() : Gain{};  // s may be the last write now
    case TermOp::kEmpty:
    case TermOp::kRecursive:  // to be shown: recursion_is_stable()
      return {};
    case TermOp::kUnion: {
      const Gain &a = gain(t.a), &b = gain(t.b);
      return {a.none && b.none, a.only_reads && b.only_reads, a.from_source && b.from_source};
    }
    case TermOp::kIntersect:
      return gain_of_meet(t, id);
    case TermOp::kMinus:
      return gain_of_difference(t, id);
    case TermOp::kComplement:
      return is_fixed(t.a) ? Gain{} : anything();
    case TermOp::kSequence: {
      std::vector<TermId> factors;
      flatten(t.a, TermOp::kSequence, factors);
      flatten(t.b, TermOp::kSequence, factors);
      return gain_of_sequence(factors);
    }
    case TermOp::kTransitive:
    case TermOp::kClosure:
      return gain_of_closure(t.a);
    case TermOp::kReflexive:
      return gain(t.a);
    case TermOp::kInverse:
    case TermOp::kProduct:
    case TermOp::kIdentity:
    case TermOp::kDomain:
    case TermOp::kRange:
      return none(t.a) && none(t.b) ? Gain{} : anything();
  }
  return anything();
}

RedirectedReads::Gain RedirectedReads::gain_of_meet(const Term& t, TermId id) const {
  const Gain &a = gain(t.a), &b = gain(t.b);
  if (a.none && b.none) return {};
  if (!t.is_set && (looks_back_within_thread(t.a, t.b) || looks_back_within_thread(t.b, t.a))) return {};
  if (a.only_reads && b.only_reads) {
    if (!maybe(t.a, kSource, kFourth) && a.none) return {};
    if (!maybe(t.b, kSource, kFourth) && b.none) return {};
    return {false, true, surely(id, kWrite, kFourth)};
  }
  // (s, y) is in both: (w, y) was in the one that gains, and must have been in the other one.
  const TermId other = a.none ? t.a : t.b;
  if (!gain(other).none || !(a.none ? b : a).from_source) return anything();
  const Term& product = term(other);
  const bool swaps = product.op == TermOp::kProduct && surely(product.a, kWrite, kWrite);
  return swaps ? Gain{false, false, true} : anything();
}

// `po-loc & (fre; rfe)` and the like have no new pair (a, r'): a is of the thread of r', so that the edge from a to w is one
// between threads, as that from a to s is.
bool RedirectedReads::looks_back_within_thread(TermId within, TermId path) const {
  std::vector<TermId> parts, factors;
  flatten(within, TermOp::kIntersect, parts);
  const bool inside = gain(within).none && std::any_of(parts.begin(), parts.end(),
                                                       [&](TermId p) { return is(p, "po") || is(p, "int"); });
  flatten(path, TermOp::kSequence, factors);
  if (!inside || factors.size() != 2 || !is_communication_between_threads(factors[0])) return false;
  const Gain& last = gain(factors[1]);
  return last.none || (last.only_reads && last.from_source);
}

// coe or fre.
bool RedirectedReads::is_communication_between_threads(TermId id) const {
  const Term& t = term(id);
  if (t.op != TermOp::kIntersect) return false;
  const auto either = [&](TermId one, TermId other) {
    return (is(one, "fr") || is(one, "co")) && is(other, "ext");
  };
  return either(t.a, t.b) || either(t.b, t.a);
}

RedirectedReads::Gain RedirectedReads::gain_of_difference(const Term& t, TermId id) const {
  if (!is_fixed(t.b)) return anything();
  const Gain& a = gain(t.a);
  if (a.none) return {};
  if (a.only_reads) {
    if (surely(t.b, kSource, kFourth)) return {};
    return {false, true, surely(id, kWrite, kFourth)};
  }
  const bool subtracts =
      maybe(t.b, kWrite, kSource) || maybe(t.b, kWrite, kFourth) || maybe(t.b, kWrite, kOther);
  return a.from_source && !subtracts ? a : anything();
}

RedirectedReads::Gain RedirectedReads::gain_of_sequence(const std::vector<TermId>& factors) const {
  Gain result;
  bool only_identities = true;  // before the factor
  for (size_t i = 0; i < factors.size(); ++i) {
    const bool identity = term(factors[i]).op == TermOp::kIdentity;
    const Gain& one = gain(factors[i]);
    if (!one.none) {
      if (identity || !one.from_source) return anything();
      if (only_identities) {
        for (size_t before = 0; before < i; ++before)
          if (!with_source_also_write(factors[before])) return anything();
        const bool alone = std::all_of(factors.begin() + static_cast<std::ptrdiff_t>(i) + 1, factors.end(),
                                       [&](TermId f) { return term(f).op == TermOp::kIdentity; });
        result = {false, one.only_reads && alone, true};
      } else if (!is_right_closed(factors, i)) {
        return anything();
      }
    }
    only_identities = only_identities && identity;
  }
  return result;
}

RedirectedReads::Gain RedirectedReads::gain_of_closure(TermId inner) const {
  const Gain& a = gain(inner);
  if (a.none) return {};
  if (a.only_reads && has_path(inner, kSource, kFourth)) return {};
  if (!a.from_source) return anything();
  if (has_path(inner, kSource, kWrite)) return {};
  return is_right_closed(inner) ? Gain{false, false, true} : anything();
}

bool RedirectedReads::recursion_is_stable() const {
  return std::all_of(model_.recursive.begin(), model_.recursive.end(), [&](TermId body) {
    std::vector<TermId> alternatives;
    flatten(body, TermOp::kUnion, alternatives);
    return std::all_of(alternatives.begin(), alternatives.end(), [&](TermId id) {
      return gain(id).none || (gain(id).only_reads && surely(body, kSource, kFourth));
    });
  });
}

// ---- With (x, s) also (x, w)

bool RedirectedReads::never_ends_at_source(TermId id) const {
  const Term& t = term(id);
  if (is(id, "rf")) return true;  // s is a write
  if (t.op == TermOp::kIntersect && (never_ends_at_source(t.a) || never_ends_at_source(t.b))) return true;
  constexpr size_t kEnds[] = {kSource, kRead, kWrite, kFourth, kOther};
  return std::none_of(std::begin(kEnds), std::end(kEnds), [&](size_t x) { return maybe(id, x, kSource); });
}

// `[set]`: s is in the set only if w is.
bool RedirectedReads::with_source_also_write(TermId id) const {
  return surely(id, kWrite, kWrite) || !maybe(id, kSource, kSource);
}

bool RedirectedReads::is_right_closed(const std::vector<TermId>& factors, size_t count) const {
  if (count == 0) return false;
  const TermId last = factors[count - 1];
  const Term& t = term(last);
  if (t.op == TermOp::kIdentity) return with_source_also_write(last) && is_right_closed(factors, count - 1);
  if (is_right_closed(last)) return true;
  // Either there is such a step, or there is none.
  return (t.op == TermOp::kClosure || t.op == TermOp::kReflexive) && is_right_closed(t.a) &&
         is_right_closed(factors, count - 1);
}

bool RedirectedReads::is_right_closed(TermId id) const {
  if (never_ends_at_source(id)) return true;
  const Term& t = term(id);
  const bool own = source_ == Source::kOwnThread;
  switch (t.op) {
    case TermOp::kBase:
      if (t.name == "co" || t.name == "fr" || t.name == "loc") return true;
      // What is behind a branch stays behind it.
      return own && (t.name == "po" || t.name == "ctrl" || t.name == "int" || t.name == "ext");
    case TermOp::kEmpty:
      return true;
    case TermOp::kUnion:
    case TermOp::kIntersect:
      return is_right_closed(t.a) && is_right_closed(t.b);
    case TermOp::kMinus: {
      constexpr size_t kStarts[] = {kSource, kRead, kWrite, kFourth, kOther};
      const bool subtracts = std::any_of(std::begin(kStarts), std::end(kStarts),
                                         [&](size_t x) { return maybe(t.b, x, kWrite); });
      return is_right_closed(t.a) && !subtracts;
    }
    case TermOp::kSequence: {
      std::vector<TermId> factors;
      flatten(id, TermOp::kSequence, factors);
      return is_right_closed(factors, factors.size());
    }
    case TermOp::kProduct:
      return with_source_also_write(t.b);
    case TermOp::kTransitive:
      return has_path(t.a, kSource, kWrite) || is_right_closed(t.a);
    case TermOp::kClosure:
      return has_path(t.a, kSource, kWrite);
    case TermOp::kRecursive: {
      // An alternative `v; u` of the variable v itself, with (s, w) in u.
      std::vector<TermId> alternatives;
      flatten(model_.recursive[t.index], TermOp::kUnion, alternatives);
      return std::any_of(alternatives.begin(), alternatives.end(), [&](TermId alternative) {
        const Term& path = term(alternative);
        return path.op == TermOp::kSequence && term(path.a).op == TermOp::kRecursive &&
               term(path.a).index == t.index && surely(path.b, kSource, kWrite);
      });
    }
    case TermOp::kComplement:
    case TermOp::kInverse:
    case TermOp::kReflexive:
    case TermOp::kIdentity:
    case TermOp::kDomain:
    case TermOp::kRange:
      break;
  }
  return false;
}

// ---- Constraints

bool RedirectedReads::keeps(const Constraint& constraint) const {
  const Gain& all = gain(constraint.term);
  if (constraint.negated) return false;
  if (all.none) return true;
  switch (constraint.kind) {
    case ConstraintKind::kEmpty:
      return false;
    case ConstraintKind::kIrreflexive:
      return keeps_irreflexive(constraint.term);
    case ConstraintKind::kAcyclic:
      if (all.only_reads && has_path(constraint.term, kSource, kFourth)) return true;
      return all.from_source &&
             (has_path(constraint.term, kSource, kWrite) || is_right_closed(constraint.term));
  }
  return false;
}

// (s, s) is new: then (w, s), and (w, w), were there. Else `fre; rest`, see the header.
bool RedirectedReads::keeps_irreflexive(TermId id) const {
  if (gain(id).from_source && is_right_closed(id)) return true;
  std::vector<TermId> factors;
  flatten(id, TermOp::kSequence, factors);
  if (source_ != Source::kOtherThread || factors.size() < 2 || !is_communication_between_threads(factors[0]))
    return false;
  // `fr & ext`, not `co & ext`: x is a read, of an older write than s.
  const Term& first = term(factors[0]);
  if (!is(first.a, "fr") && !is(first.b, "fr")) return false;
  const std::vector<TermId> rest(factors.begin() + 1, factors.end());
  if (!gain_of_sequence(rest).from_source) return false;
  // w -> y -> x is a path of another constraint, and so is x -> w.
  const Scene scene = scene_of(
      {.instruction = instruction_, .fourth = Fourth::kEarlierRead, .fourth_inside = true, .before = true});
  const std::vector<Bounds> bounds = scene.evaluate(model_);
  return reads_own_writes_or_later(model_) &&
         std::any_of(model_.constraints.begin(), model_.constraints.end(), [&](const Constraint& other) {
           if (other.kind != ConstraintKind::kAcyclic || other.flag || other.negated) return false;
           std::vector<TermId> steps;
           flatten(other.term, TermOp::kUnion, steps);
           return scene.has_path(other, bounds, kFourth, kWrite) && new_pairs_are_within(rest[0], steps) &&
                  std::all_of(rest.begin() + 1, rest.end(),
                              [&](TermId one) { return is_within(one, steps); });
         });
}

// Each pair is a path of the steps, or none.
bool RedirectedReads::is_within(TermId id, const std::vector<TermId>& steps) const {
  if (std::find(steps.begin(), steps.end(), id) != steps.end()) return true;
  const Term& t = term(id);
  switch (t.op) {
    case TermOp::kEmpty:
    case TermOp::kIdentity:
      return true;
    case TermOp::kUnion:
    case TermOp::kSequence:
      return is_within(t.a, steps) && is_within(t.b, steps);
    case TermOp::kIntersect:
      return is_within(t.a, steps) || is_within(t.b, steps);
    case TermOp::kMinus:
    case TermOp::kTransitive:
    case TermOp::kClosure:
    case TermOp::kReflexive:
      return is_within(t.a, steps);
    case TermOp::kBase:
    case TermOp::kComplement:
    case TermOp::kInverse:
    case TermOp::kProduct:
    case TermOp::kDomain:
    case TermOp::kRange:
    case TermOp::kRecursive:
      break;
  }
  return false;
}

// For each new pair (s, y), (w, y) is a path of the steps.
bool RedirectedReads::new_pairs_are_within(TermId id, const std::vector<TermId>& steps) const {
  std::vector<TermId> alternatives;
  flatten(id, TermOp::kUnion, alternatives);
  return std::all_of(alternatives.begin(), alternatives.end(),
                     [&](TermId one) { return gain(one).none || is_within(one, steps); });
}

}  // namespace fenceline::sat
