// SPDX-License-Identifier: GPL-3.0-or-later
#include "engine/sat/same_values.h"

#include <algorithm>
#include <string>
#include <string_view>
#include <vector>

#include "engine/sat/monotone.h"
#include "engine/sat/preserved_order.h"
#include "engine/sat/rmw_scene.h"

namespace fenceline::sat {
namespace {

// What happens to the terms of a model when rf gets pairs (s, r') of which there were the paths
// s -rf-> r -rmw-> w -rf-> r' and s -co-> w -rf-> r', and r and w disappear.
class Redirection {
 public:
  explicit Redirection(const CatModel& model)
      : model_(model),
        about_their_ends_(terms_about_their_ends(model)),
        names_rf_(model.terms.size()),
        nothing_(model.terms.size()),
        identity_(model.terms.size()),
        communication_(model.terms.size()),
        stable(model.terms.size(), true) {
    for (size_t i = 0; i < model.terms.size(); ++i) {
      classify(i);
      stable[i] = is_stable(model.terms[i]);
    }
  }

  // A flag that was raised by events that are left is raised as before: what is subtracted has no new pairs.
  bool keeps_raised(TermId id) const {
    const Term& t = term(id);
    if (t.op == TermOp::kMinus) return keeps_raised(t.a) && stable[t.b.index()];
    if (t.op == TermOp::kComplement) return stable[t.a.index()];
    return t.op != TermOp::kRecursive && (!t.a.valid() || keeps_raised(t.a)) &&
           (!t.b.valid() || keeps_raised(t.b));
  }

  // The constraint holds as before, whatever the threads are.
  bool keeps(const Constraint& constraint) const {
    if (constraint.negated) return false;
    if (constraint.kind != ConstraintKind::kAcyclic) return stable[constraint.term.index()];
    // Reads come after what they read and before what overwrites that: this alone has no cycle.
    return communication_[constraint.term.index()] || closure_is_stable(constraint.term);
  }

  // Does the acyclic constraint hold as before, given that it had a path wherever rf has a new pair? It then has
  // one instead of each new pair. `kinds`: which new pairs of rf it looks at.
  struct Kinds {
    bool internal = false, external = false;
  };
  bool keeps_if_paths_exist(const Constraint& constraint, Kinds& kinds) const {
    if (constraint.negated || constraint.kind != ConstraintKind::kAcyclic) return false;
    std::vector<TermId> alternatives;
    flatten(without_sections(constraint.term), TermOp::kUnion, alternatives);
    const auto is_alternative = [&](TermId id) {
      return std::find(alternatives.begin(), alternatives.end(), id) != alternatives.end();
    };
    return std::all_of(alternatives.begin(), alternatives.end(), [&](TermId id) {
      if (stable[id.index()]) return true;
      // One factor is rf, and the others are steps of the same relation or none.
      std::vector<TermId> factors;
      flatten(id, TermOp::kSequence, factors);
      size_t found = 0;
      for (const TermId factor : factors) {
        std::vector<TermId> parts;
        flatten(factor, TermOp::kUnion, parts);
        if (is_rf(factor, kinds))
          ++found;
        else if (!stable[factor.index()] || (term(factor).op != TermOp::kIdentity &&
                                             !std::all_of(parts.begin(), parts.end(), is_alternative)))
          return false;
      }
      return found == 1;
    });
  }

 private:
  // `r` of `section?; (r \ section); section?`, which differs only in sections.
  TermId without_sections(TermId id) const {
    std::vector<TermId> factors, kept;
    flatten(id, TermOp::kSequence, factors);
    const auto is_sections = [&](TermId t) { return of(nothing_, t) || is(t, "atomic"); };
    for (const TermId factor : factors)
      if (term(factor).op != TermOp::kReflexive || !is_sections(term(factor).a)) kept.push_back(factor);
    if (kept.size() != 1) return id;
    const Term& t = term(kept.front());
    return t.op == TermOp::kMinus && is_sections(t.b) ? t.a : kept.front();
  }

  // rf, or its pairs within one thread, or between two.
  bool is_rf(TermId id, Kinds& kinds) const {
    const Term& t = term(id);
    if (is(id, "rf")) {
      kinds.internal = kinds.external = true;
      return true;
    }
    if (t.op != TermOp::kIntersect || (!is(t.a, "rf") && !is(t.b, "rf"))) return false;
    const TermId other = is(t.a, "rf") ? t.b : t.a;
    if (is(other, "int")) return kinds.internal = true;
    if (is(other, "ext")) return kinds.external = true;
    return false;
  }

  bool only_rf_is_not_stable(TermId id) const {
    std::vector<TermId> alternatives;
    flatten(id, TermOp::kUnion, alternatives);
    Kinds kinds;
    return std::all_of(alternatives.begin(), alternatives.end(),
                       [&](TermId one) { return stable[one.index()] || is_rf(one, kinds); });
  }

  const Term& term(TermId id) const { return model_.term(id); }
  bool is(TermId id, std::string_view base) const {
    return term(id).op == TermOp::kBase && term(id).name == base;
  }
  bool of(const std::vector<bool>& property, TermId id) const { return id.valid() && property[id.index()]; }

  // Operands of nested unions or compositions.
  void flatten(TermId id, TermOp op, std::vector<TermId>& result) const {
    if (term(id).op != op) return result.push_back(id);
    flatten(term(id).a, op, result);
    flatten(term(id).b, op, result);
  }

  // `atomic \ (rmw | rmw^-1)`, perhaps without those in sections: the pairs of events of one atomic section. The
  // precondition excludes them.
  bool is_section(const Term& minus) const {
    std::vector<TermId> less;
    if (minus.op != TermOp::kMinus || !is(minus.a, "atomic")) return false;
    const Term& kept = term(minus.b);
    const bool some = kept.op == TermOp::kMinus && term(kept.b).op == TermOp::kProduct &&
                      is(term(kept.b).a, "SECTION") && is(term(kept.b).b, "SECTION");
    flatten(some ? kept.a : minus.b, TermOp::kUnion, less);
    return less.size() == 2 && is(less[0], "rmw") && term(less[1]).op == TermOp::kInverse &&
           is(term(less[1]).a, "rmw");
  }

  void classify(size_t i) {
    const Term& t = model_.terms[i];
    names_rf_[i] = (t.op == TermOp::kBase && t.name == "rf") || t.op == TermOp::kRecursive ||
                   of(names_rf_, t.a) || of(names_rf_, t.b);
    nothing_[i] = t.op == TermOp::kEmpty || is_section(t);
    identity_[i] = t.op == TermOp::kReflexive && of(nothing_, t.a);
    const bool a = of(communication_, t.a), b = of(communication_, t.b);
    switch (t.op) {
      case TermOp::kBase:
        communication_[i] = t.name == "rf" || t.name == "co" || t.name == "fr";
        break;
      case TermOp::kUnion:
        communication_[i] = a && b;
        break;
      case TermOp::kIntersect:
        communication_[i] = a || b;
        break;
      case TermOp::kMinus:
        communication_[i] = a;
        break;
      case TermOp::kSequence:
        communication_[i] = (a && of(identity_, t.b)) || (b && of(identity_, t.a));
        break;
      case TermOp::kEmpty:
        communication_[i] = true;
        break;
      case TermOp::kComplement:
      case TermOp::kInverse:
      case TermOp::kTransitive:
      case TermOp::kReflexive:
      case TermOp::kClosure:
      case TermOp::kProduct:
      case TermOp::kIdentity:
      case TermOp::kDomain:
      case TermOp::kRange:
      case TermOp::kRecursive:
        break;
    }
  }

  bool is_rf_rmw(TermId id) const {
    std::vector<TermId> factors;
    flatten(id, TermOp::kSequence, factors);
    return factors.size() == 2 && is(factors[0], "rf") && is(factors[1], "rmw");
  }

  // a+, and with it a*, has no new pairs: each alternative of a has none, or those that it has are paths.
  bool closure_is_stable(TermId a) const {
    std::vector<TermId> alternatives;
    flatten(a, TermOp::kUnion, alternatives);
    const auto has = [&](std::string_view base) {
      return std::any_of(alternatives.begin(), alternatives.end(), [&](TermId id) { return is(id, base); });
    };
    return std::all_of(alternatives.begin(), alternatives.end(), [&](TermId id) {
      return stable[id.index()] || is_rf_rmw(id) || (is(id, "rf") && (has("co") || has("rmw")));
    });
  }

  // `(rf; rmw)*; rf` has no new pairs.
  bool sequence_is_stable(const Term& t) const {
    std::vector<TermId> factors;
    flatten(t.a, TermOp::kSequence, factors);
    flatten(t.b, TermOp::kSequence, factors);
    for (size_t i = 0; i < factors.size(); ++i) {
      if (stable[factors[i].index()]) continue;
      if (!is(factors[i], "rf") || i == 0) return false;
      const Term& before = term(factors[i - 1]);
      if (before.op != TermOp::kClosure || !is_rf_rmw(before.a)) return false;
    }
    return true;
  }

  bool is_stable(const Term& t) const {
    const auto operand = [&](TermId id) { return !id.valid() || stable[id.index()]; };
    switch (t.op) {
      case TermOp::kBase:
        return t.name != "rf";
      case TermOp::kMinus:
        return operand(t.a) && about_their_ends_[t.b.index()] && !names_rf_[t.b.index()];
      case TermOp::kComplement:
        return about_their_ends_[t.a.index()] && !names_rf_[t.a.index()];
      case TermOp::kTransitive:
      case TermOp::kClosure:
        return closure_is_stable(t.a);
      case TermOp::kSequence:
        return sequence_is_stable(t);
      case TermOp::kIntersect:
        // No write and no read of it are of one atomic section.
        if ((is(t.a, "atomic") && only_rf_is_not_stable(t.b)) ||
            (is(t.b, "atomic") && only_rf_is_not_stable(t.a)))
          return true;
        break;
      case TermOp::kEmpty:
      case TermOp::kUnion:
      case TermOp::kInverse:
      case TermOp::kReflexive:
      case TermOp::kProduct:
      case TermOp::kIdentity:
      case TermOp::kDomain:
      case TermOp::kRange:
      case TermOp::kRecursive:  // if the bodies are, with the variables taken to be
        break;
    }
    return operand(t.a) && operand(t.b);
  }

  const CatModel& model_;
  std::vector<bool> about_their_ends_;
  std::vector<bool> names_rf_, nothing_, identity_, communication_;

 public:
  std::vector<bool> stable;  // the term has no new pairs of events that are left
};

// Does w come right behind s in coherence order?
bool is_atomic(const CatModel& model, const Instruction& instruction) {
  const auto forbidden = [&](RmwScene facts) { return scene_of(facts).forbidden(model); };
  for (const bool source_inside : {false, true}) {
    RmwScene facts{.instruction = instruction,
                   .fourth = Fourth::kNone,
                   .overwritten = true,
                   .source_inside = source_inside};
    if (!forbidden(facts)) return false;
    facts.overwritten = false;
    facts.fourth = Fourth::kWriteBetween;
    if (!forbidden(facts)) return false;
    facts.fourth_inside = true;
    for (const bool before : {false, true}) {
      facts.before = before;
      if (!forbidden(facts)) return false;
    }
  }
  return forbidden({.instruction = instruction, .fourth = Fourth::kWriteBetween, .together = true});
}

// Does a path lead from s to r' in the constraint, wherever it looks at such a pair of rf?
bool has_paths(const CatModel& model, const Constraint& constraint, const Instruction& instruction,
               bool source_inside, bool source_reads, Redirection::Kinds kinds, Readers readers) {
  for (const bool read_inside : {false, true})
    for (const bool together : {false, true}) {
      if (together && (source_inside || read_inside)) continue;
      if (read_inside && readers == Readers::kOfOtherThreads) continue;
      const bool internal = together || (source_inside && read_inside);
      if (internal ? !kinds.internal : !kinds.external) continue;
      const Scene scene = scene_of({.instruction = instruction,
                                    .source_inside = source_inside,
                                    .fourth_inside = read_inside,
                                    .together = together,
                                    .source_reads = source_reads});
      if (!scene.has_path(constraint, scene.evaluate(model), kSource, kFourth)) return false;
    }
  return true;
}

}  // namespace

SameValue same_value(const CatModel& model, const Instruction& instruction, Readers readers) {
  // The scenes take a read to come behind the write that it reads, if both are of one thread.
  if (!forbids_reading_the_future(model)) return SameValue::kCounts;
  if (!allows_omitting_writes(model) || !is_atomic(model, instruction)) return SameValue::kCounts;
  const Redirection redirection(model);
  for (const TermId body : model.recursive)
    if (!redirection.stable[body.index()]) return SameValue::kCounts;
  SameValue result = SameValue::kDoesNotCount;
  for (const Constraint& constraint : model.constraints) {
    if (constraint.flag) {
      if (!redirection.keeps_raised(constraint.term)) return SameValue::kCounts;
      continue;
    }
    if (redirection.keeps(constraint)) continue;
    Redirection::Kinds kinds;
    if (!redirection.keeps_if_paths_exist(constraint, kinds)) return SameValue::kCounts;
    const auto paths = [&](bool source_inside, bool source_reads) {
      return has_paths(model, constraint, instruction, source_inside, source_reads, kinds, readers);
    };
    if (!paths(false, false)) return SameValue::kCounts;
    if (!paths(true, true)) result = SameValue::kOwnSourceCounts;
    if (!paths(true, false)) result = std::min(result, SameValue::kOwnStoreCounts);
  }
  return result;
}

}  // namespace fenceline::sat
