// SPDX-License-Identifier: GPL-3.0-or-later
#include "engine/sat/same_values.h"

#include <algorithm>
#include <string>
#include <string_view>
#include <vector>

#include "engine/sat/monotone.h"
#include "engine/sat/preserved_order.h"
#include "engine/sat/redirected_reads.h"
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
        recursive_(model.terms.size()),
        nothing_(model.terms.size()),
        identity_(model.terms.size()),
        communication_(model.terms.size()),
        stable(model.terms.size(), true) {
    for (size_t i = 0; i < model.terms.size(); ++i) {
      classify(i);
      stable[i] = is_stable(model.terms[i]);
    }
    for (const TermId body : model.recursive)
      recursion_is_stable_ = recursion_is_stable_ && stable[body.index()];
  }

  // Variables of `let rec` are taken to be stable: is that so, or are there none in the constraint?
  bool applies_to(const Constraint& constraint) const {
    return recursion_is_stable_ || !recursive_[constraint.term.index()];
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

  // Does the acyclic constraint hold as before, given that it had a path wherever there is a new pair? It then has one
  // instead of each new pair. `kinds`: which new pairs it looks at.
  struct Kinds {
    bool internal = false, external = false;  // of rf
    bool around = false;                      // of two reads around r and w
  };
  bool keeps_if_paths_exist(const Constraint& constraint, Kinds& kinds) const {
    if (constraint.negated || constraint.kind != ConstraintKind::kAcyclic) return false;
    std::vector<TermId> alternatives;
    flatten(without_sections(constraint.term), TermOp::kUnion, alternatives);
    return std::all_of(alternatives.begin(), alternatives.end(), [&](TermId id) {
      if (stable[id.index()]) return true;
      if (is_around(id)) return kinds.around = true;
      std::vector<TermId> factors;
      flatten(id, TermOp::kSequence, factors);
      return is_rf_among_steps(factors, alternatives, kinds) || is_chain_from_reads(factors, kinds);
    });
  }

 private:
  // One factor is rf, and the others are steps of the same relation or none.
  bool is_rf_among_steps(const std::vector<TermId>& factors, const std::vector<TermId>& steps,
                         Kinds& kinds) const {
    size_t found = 0;
    for (const TermId factor : factors) {
      std::vector<TermId> parts;
      flatten(factor, TermOp::kUnion, parts);
      const auto is_step = [&](TermId part) {
        return std::find(steps.begin(), steps.end(), part) != steps.end() ||
               (found == 0 && is_dependency_step(part, steps));
      };
      if (is_rf(factor, kinds))
        ++found;
      else if (!stable[factor.index()] ||
               (term(factor).op != TermOp::kIdentity && !std::all_of(parts.begin(), parts.end(), is_step)))
        return false;
    }
    return found == 1;
  }

  // Is each dependency of that kind of a write on a read a step, as with `[M]; addr; [M]`?
  bool is_dependency_step(TermId part, const std::vector<TermId>& steps) const {
    if (!is(part, "addr") && !is(part, "data") && !is(part, "ctrl")) return false;
    return std::any_of(steps.begin(), steps.end(), [&](TermId step) {
      std::vector<TermId> factors;
      flatten(step, TermOp::kSequence, factors);
      const auto at = std::find(factors.begin(), factors.end(), part);
      const auto accepts = [&](const char* kind) {
        return [this, kind](TermId factor) {
          const Term& t = term(factor);
          return t.op == TermOp::kIdentity && (is(t.a, "_") || is(t.a, "M") || is(t.a, kind));
        };
      };
      return at != factors.end() && std::all_of(factors.begin(), at, accepts("R")) &&
             std::all_of(at + 1, factors.end(), accepts("W"));
    });
  }

  // `[R]; (d | rfi)+`: a new pair (s, r') splits the chain into two of the same kind, since r' is a read.
  bool is_chain_from_reads(const std::vector<TermId>& factors, Kinds& kinds) const {
    const Term& last = term(factors.back());
    if (last.op != TermOp::kTransitive) return false;
    for (size_t i = 0; i + 1 < factors.size(); ++i) {
      const Term& t = term(factors[i]);
      if (t.op != TermOp::kIdentity || !(is(t.a, "R") || is(t.a, "M") || is(t.a, "_"))) return false;
    }
    std::vector<TermId> links;
    flatten(last.a, TermOp::kUnion, links);
    return std::all_of(links.begin(), links.end(),
                       [&](TermId link) { return stable[link.index()] || is_rf(link, kinds); });
  }

  // `p \ (p?; [W]; p)` with p = po-loc, restricted to some events: two reads may be related only now that w is no longer
  // between them.
  bool is_around(TermId id) const {
    const Term& t = term(id);
    if (t.op == TermOp::kMinus) {
      if (is_around(t.a)) return is_kept_by_redirection(t.b) || is_static(t.b);
      std::vector<TermId> less;
      flatten(t.b, TermOp::kSequence, less);
      const auto is_path = [&](TermId f) {
        const Term& factor = term(f);
        return f == t.a || (factor.op == TermOp::kReflexive && factor.a == t.a) ||
               (factor.op == TermOp::kIdentity && is(factor.a, "W"));
      };
      return is_po_loc(t.a) && std::all_of(less.begin(), less.end(), is_path);
    }
    if (t.op != TermOp::kSequence) return false;
    std::vector<TermId> factors;
    flatten(id, TermOp::kSequence, factors);
    bool reads = true;  // both ends are reads
    size_t found = 0;
    for (size_t i = 0; i < factors.size(); ++i) {
      const Term& factor = term(factors[i]);
      if (factor.op == TermOp::kIdentity)
        reads = reads && is(factor.a, "R");
      else if (is_around(factors[i]))
        ++found, reads = reads && i > 0 && i + 1 < factors.size();
      else
        return false;
    }
    return reads && found == 1;
  }
  bool is_po_loc(TermId id) const {
    const Term& t = term(id);
    return t.op == TermOp::kIntersect &&
           ((is(t.a, "po") && is(t.b, "loc")) || (is(t.a, "loc") && is(t.b, "po")));
  }
  // `rf^-1; rf` keeps its pairs: what has read w reads s, all of it.
  bool is_kept_by_redirection(TermId id) const {
    const Term& t = term(id);
    return t.op == TermOp::kSequence && term(t.a).op == TermOp::kInverse && is(term(t.a).a, "rf") &&
           is(t.b, "rf");
  }
  bool is_static(TermId id) const { return about_their_ends_[id.index()] && !names_rf_[id.index()]; }

  // `r` of `section?; (r \ section); section?`, which differs only in sections.
  TermId without_sections(TermId id) const {
    std::vector<TermId> factors, kept;
    flatten(id, TermOp::kSequence, factors);
    // Without sections of several events, it relates at most the read and the write of an instruction.
    const auto is_sections = [&](TermId t) {
      return of(nothing_, t) || is(t, "atomic") ||
             (term(t).op == TermOp::kMinus && is(term(t).a, "atomic") && is_static(term(t).b));
    };
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
    recursive_[i] = t.op == TermOp::kRecursive || of(recursive_, t.a) || of(recursive_, t.b);
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
        return t.name != "rf" && t.name != "FW";  // s may be the last write now
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
  std::vector<bool> names_rf_, recursive_, nothing_, identity_, communication_;
  bool recursion_is_stable_ = true;

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

// Where s is.
enum class Source : uint8_t { kOtherThread, kOwnRmw, kOwnStore };

class Decision {
 public:
  Decision(const CatModel& model, const Instruction& instruction, Readers readers)
      : model_(model), instruction_(instruction), readers_(readers), redirection_(model) {}

  // Do the axioms hold as before?
  bool keeps_axioms(Source source) const {
    std::vector<RedirectedReads> cases;
    using Case = RedirectedReads::Source;
    if (readers_ == Readers::kOfOtherThreads) {
      for (const Case one : {Case::kOtherThread, Case::kOfReader, Case::kOwnThread})
        if ((one == Case::kOwnThread) == (source != Source::kOtherThread))
          cases.emplace_back(model_, instruction_, one);
      if (!std::all_of(cases.begin(), cases.end(),
                       [](const RedirectedReads& one) { return one.recursion_is_stable(); }))
        cases.clear();
    }
    return std::all_of(
        model_.constraints.begin(), model_.constraints.end(), [&](const Constraint& constraint) {
          if (constraint.flag || keeps(constraint, source)) return true;
          return !cases.empty() && std::all_of(cases.begin(), cases.end(), [&](const RedirectedReads& one) {
            return one.keeps(constraint);
          });
        });
  }

  bool keeps_flags() const {
    return std::all_of(model_.constraints.begin(), model_.constraints.end(),
                       [&](const Constraint& constraint) {
                         return !constraint.flag || redirection_.keeps_raised(constraint.term);
                       });
  }

 private:
  bool keeps(const Constraint& constraint, Source source) const {
    if (!redirection_.applies_to(constraint)) return false;
    Redirection::Kinds kinds;
    return redirection_.keeps(constraint) ||
           (redirection_.keeps_if_paths_exist(constraint, kinds) && has_paths(constraint, source, kinds));
  }

  // Does a path lead from s to r' in the constraint, wherever it looks at such a pair of rf?
  bool has_paths(const Constraint& constraint, Source source, Redirection::Kinds kinds) const {
    const bool own = source != Source::kOtherThread;
    if (kinds.around && !has_paths_around(constraint)) return false;
    for (const bool read_inside : {false, true})
      for (const bool together : {false, true}) {
        if (together && (own || read_inside)) continue;
        if (read_inside && readers_ == Readers::kOfOtherThreads) continue;
        const bool internal = together || (own && read_inside);
        if (internal ? !kinds.internal : !kinds.external) continue;
        const Scene scene = scene_of({.instruction = instruction_,
                                      .source_inside = own,
                                      .fourth_inside = read_inside,
                                      .together = together,
                                      .source_reads = source == Source::kOwnRmw});
        if (!scene.has_path(constraint, scene.evaluate(model_), kSource, kFourth)) return false;
      }
    return true;
  }

  // Between two reads of the thread around r and w. The later one reads w, or what overwrites that: a write of another
  // thread, or an own one between w and the read, which then separates the two as w did.
  bool has_paths_around(const Constraint& constraint) const {
    if (!reads_own_last_write(model_) || !reads_own_writes_or_later(model_)) return false;
    for (const bool reads_it : {false, true}) {
      if (reads_it && readers_ == Readers::kOfOtherThreads) continue;
      const Scene scene = scene_around(instruction_, reads_it);
      if (!scene.has_path(constraint, scene.evaluate(model_), kEarlier, kLater)) return false;
    }
    return true;
  }

  const CatModel& model_;
  const Instruction& instruction_;
  const Readers readers_;
  const Redirection redirection_;
};

}  // namespace

SameValue same_value(const CatModel& model, const Instruction& instruction, Readers readers) {
  // The scenes take a read to come behind the write that it reads, if both are of one thread.
  if (!forbids_reading_the_future(model) || !is_atomic(model, instruction)) return SameValue::kCounts;
  const Decision decision(model, instruction, readers);
  if (!decision.keeps_flags() || !decision.keeps_axioms(Source::kOtherThread)) return SameValue::kCounts;
  if (!decision.keeps_axioms(Source::kOwnRmw)) return SameValue::kOwnSourceCounts;
  return decision.keeps_axioms(Source::kOwnStore) ? SameValue::kDoesNotCount : SameValue::kOwnStoreCounts;
}

bool drops_repeated_iterations(const CatModel& model) {
  return !has_flags(model) && reads_follow_coherence(model);
}

}  // namespace fenceline::sat
