// SPDX-License-Identifier: GPL-3.0-or-later
#include "engine/executions/model_plan.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <numeric>
#include <optional>
#include <string_view>
#include <tuple>

#include "engine/executions/term_facts.h"
#include "env/errors.h"

namespace fenceline::executions {
namespace {

bool has_tag(const std::vector<std::string>& tags, std::string_view name) {
  return std::find(tags.begin(), tags.end(), name) != tags.end();
}

using Kind = ModelPlan::EventKind;

bool is_in_set(std::string_view name, const Kind& e) {
  const bool read = e.part == ModelPlan::Part::kRead, write = e.part == ModelPlan::Part::kWrite;
  const bool fence = e.part == ModelPlan::Part::kFence;
  const bool rmw = e.instruction != nullptr && e.instruction->kind == InstrKind::kRmw;
  if (name == "_") return true;
  if (name == "R") return read;
  if (name == "W") return write;
  if (name == "M") return read || write;
  if (name == "F") return fence;
  if (name == "IW") return e.instruction == nullptr;
  if (name == "RMW") return rmw;
  if (name == "ATOMIC") return rmw || e.in_section;
  if (name == "SECTION") return e.in_section;
  if (name == "SL") return fence && e.instruction->fence.has_store_load();
  if (name == "SS") return fence && e.instruction->fence.has_store_store();
  if (name == "LL") return fence && e.instruction->fence.has_load_load();
  if (name == "LS") return fence && e.instruction->fence.has_load_store();
  if (e.instruction == nullptr) return false;
  return has_tag(rmw && write ? e.instruction->write_tags : e.instruction->tags, name);
}

std::optional<Base> base_of(std::string_view name) {
  static const std::map<std::string_view, Base> kBases = {
      {"po", Base::kPo},        {"rf", Base::kRf},     {"co", Base::kCo},     {"fr", Base::kFr},
      {"addr", Base::kAddr},    {"data", Base::kData}, {"ctrl", Base::kCtrl}, {"rmw", Base::kRmw},
      {"loc", Base::kLoc},      {"int", Base::kInt},   {"ext", Base::kExt},   {"id", Base::kId},
      {"atomic", Base::kAtomic}};
  const auto found = kBases.find(name);
  return found == kBases.end() ? std::nullopt : std::optional(found->second);
}

bool has_sections(const Overlay& overlay) {
  for (const Thread& thread : overlay.program().threads)
    for (const Instruction& i : thread.code)
      if (i.kind == InstrKind::kAtomicBegin) return true;
  return false;
}

// The events that the program can have. If there are sections, any access may be in one.
std::vector<Kind> possible_events(const Overlay& overlay) {
  const bool sections = has_sections(overlay);
  std::vector<Kind> kinds{{}};
  for (size_t t = 0; t < overlay.program().threads.size(); ++t)
    for (size_t p = 0; p < overlay.points(ThreadId(t)); ++p) {
      const Instruction& i = overlay.at(ThreadId(t), Point(p));
      for (const bool in_section : {false, true}) {
        if (in_section && !sections) continue;
        if (i.reads_memory()) kinds.push_back({&i, ModelPlan::Part::kRead, in_section});
        if (i.writes_memory()) kinds.push_back({&i, ModelPlan::Part::kWrite, in_section});
      }
      if (i.kind == InstrKind::kFence) kinds.push_back({&i, ModelPlan::Part::kFence, false});
    }
  return kinds;
}

}  // namespace

// Copies the terms that constraints need, simplified where an operand is empty or the identity on all events.
class PlanBuilder {
 public:
  PlanBuilder(const CatModel& model, const Overlay& overlay, ModelPlan& plan)
      : model_(model),
        plan_(plan),
        kinds_(possible_events(overlay)),
        sections_(has_sections(overlay)),
        rmws_(std::any_of(kinds_.begin(), kinds_.end(),
                          [](const Kind& k) {
                            return k.instruction != nullptr && k.instruction->kind == InstrKind::kRmw;
                          })),
        built_(model.terms.size(), kUnknown) {}

  void build() {
    for (const bool flags : {false, true}) {
      if (flags) plan_.first_flag_term_ = plan_.terms_.size();
      for (size_t i = 0; i < model_.constraints.size(); ++i) {
        const Constraint& constraint = model_.constraints[i];
        if (constraint.flag != flags) continue;
        add_constraint(constraint, i);
      }
    }
    drop_unused_terms();
    for (const PlanConstraint& axiom : plan_.axioms_)
      if (!axiom.negated && axiom.term != kNoTerm) find_coherence_rule(axiom);
    plan_.flags_are_about_pairs_ = std::all_of(plan_.flags_.begin(), plan_.flags_.end(),
                                               [&](const PlanConstraint& flag) {
                                                 return flag.kind == ConstraintKind::kEmpty && flag.negated &&
                                                        flag.term != kNoTerm && facts().is_fixed(flag.term) &&
                                                        facts().is_symmetric(flag.term);
                                               }) &&
                                   flags_need_one_row();
  }

 private:
  TermFacts facts() const { return TermFacts(plan_.terms_); }

  static constexpr size_t kMostSets = 64;
  static constexpr uint32_t kUnknown = ~0U - 1;  // kNoTerm is the empty set or relation

  void add_constraint(const Constraint& constraint, size_t number) {
    uint32_t term = build(constraint.term);
    if (!constraint.flag && !constraint.negated && constraint.kind != ConstraintKind::kEmpty &&
        (term == kNoTerm || add_order(constraint.kind == ConstraintKind::kAcyclic, term, number)))
      return;
    const bool acyclic = constraint.kind == ConstraintKind::kAcyclic;
    if (acyclic && term != kNoTerm) term = transitive(term);
    // What is about an empty relation holds, or, if it is negated, never does.
    if (term == kNoTerm && constraint.negated == constraint.flag) return;
    (constraint.flag ? plan_.flags_ : plan_.axioms_)
        .push_back({.kind = acyclic ? ConstraintKind::kIrreflexive : constraint.kind,
                    .negated = constraint.negated,
                    .term = term,
                    .number = number});
  }

  // An axiom: the term is acyclic, or irreflexive. False: it has no simpler form.
  bool add_order(bool acyclic, uint32_t term, size_t number) {
    if (facts().holds_in_graphs(term)) return true;
    const PlanTerm of = plan_.terms_[term];
    if (acyclic || of.op != PlanOp::kSequence) return false;
    // That a; b has no pair (x, x) needs no pairs of a; b.
    const PlanTerm first = plan_.terms_[of.a], second = plan_.terms_[of.b];
    const auto add = [&](uint32_t a, uint32_t b) {
      plan_.axioms_.push_back(
          {.kind = ConstraintKind::kIrreflexive, .term = a, .second = b, .number = number});
    };
    if (first.op == PlanOp::kReflexive && second.op == PlanOp::kReflexive) return false;
    if (first.op == PlanOp::kReflexive) {
      if (!facts().holds_in_graphs(of.b)) add(of.b, kNoTerm);
      add(first.a, of.b);
    } else if (second.op == PlanOp::kReflexive) {
      if (!facts().holds_in_graphs(of.a)) add(of.a, kNoTerm);
      add(of.a, second.a);
    } else {
      add(of.a, of.b);
    }
    return true;
  }

  // A row of the terms that only flags need follows from rows of axioms' terms and from the same row of others.
  bool flags_need_one_row() const {
    const auto is_first = [&](uint32_t term) { return term < plan_.first_flag_term_; };
    for (size_t i = plan_.first_flag_term_; i < plan_.terms_.size(); ++i) {
      const PlanTerm& term = plan_.terms_[i];
      if (term.is_set || term.op == PlanOp::kTransitive || term.op == PlanOp::kMeet ||
          term.component != kNoTerm || (term.op == PlanOp::kInverse && !is_first(term.a)) ||
          (term.op == PlanOp::kSequence && !is_first(term.a)))
        return false;
    }
    return true;
  }

  // Those of axioms come first, and sets that an event is in by its instruction.
  void drop_unused_terms() {
    std::vector<bool> by_axioms = terms_of(plan_.axioms_);
    const std::vector<bool> by_flags = terms_of(plan_.flags_);
    for (size_t i = 0; i < by_axioms.size(); ++i)
      by_axioms[i] = by_axioms[i] || (by_flags[i] && plan_.terms_[i].op == PlanOp::kSet);
    std::vector<uint32_t> number(plan_.terms_.size(), kNoTerm);
    std::vector<PlanTerm> kept;
    const std::vector<uint32_t> order = in_order_of_evaluation();
    for (const bool axioms : {true, false}) {
      for (const uint32_t i : order) {
        if (axioms ? !by_axioms[i] : by_axioms[i] || !by_flags[i]) continue;
        number[i] = static_cast<uint32_t>(kept.size());
        kept.push_back(plan_.terms_[i]);
      }
      if (axioms) plan_.first_flag_term_ = kept.size();
    }
    const auto renumber = [&](uint32_t& term) { term = term == kNoTerm ? kNoTerm : number[term]; };
    for (PlanTerm& term : kept) renumber(term.a), renumber(term.b), renumber(term.c);
    for (std::vector<PlanConstraint>* constraints : {&plan_.axioms_, &plan_.flags_})
      for (PlanConstraint& constraint : *constraints) renumber(constraint.term), renumber(constraint.second);
    plan_.terms_ = std::move(kept);
  }

  // What equations of a `let rec` are about was built behind its variables, but is known before.
  std::vector<uint32_t> in_order_of_evaluation() const {
    std::vector<uint32_t> order(plan_.terms_.size());
    std::iota(order.begin(), order.end(), 0);
    if (!variables_.empty())
      std::stable_partition(order.begin() + variables_.front(), order.begin() + end_of_equations_,
                            [&](uint32_t term) { return plan_.terms_[term].component == kNoTerm; });
    return order;
  }

  std::vector<bool> terms_of(const std::vector<PlanConstraint>& constraints) const {
    std::vector<bool> used(plan_.terms_.size());
    std::vector<uint32_t> todo;
    const auto use = [&](uint32_t term) {
      if (term == kNoTerm || used[term]) return;
      used[term] = true;
      todo.push_back(term);
    };
    for (const PlanConstraint& constraint : constraints) use(constraint.term), use(constraint.second);
    while (!todo.empty()) {
      const PlanTerm term = plan_.terms_[todo.back()];
      todo.pop_back();
      use(term.a), use(term.b), use(term.c);
    }
    return used;
  }

  uint32_t make(PlanTerm term) {
    const auto key = std::make_tuple(term.op, term.is_set, term.a, term.b, term.c, term.base, term.set_bit);
    if (const auto found = known_.find(key); found != known_.end()) return found->second;
    term.component = component_;
    plan_.terms_.push_back(term);
    const auto id = static_cast<uint32_t>(plan_.terms_.size() - 1);
    known_.emplace(key, id);
    return id;
  }

  uint32_t build(TermId id) {
    if (!id.valid()) return kNoTerm;
    uint32_t& result = built_[id.index()];
    if (result == kUnknown) {
      const uint32_t made = build(model_.term(id));
      built_[id.index()] = made;
      return made;
    }
    return result;
  }

  uint32_t build(const Term& term) {
    switch (term.op) {
      case TermOp::kBase:
        return term.is_set ? build_set(term.name) : build_base(term.name);
      case TermOp::kEmpty:
        return kNoTerm;
      case TermOp::kRecursive:
        return build_recursive(term);
      case TermOp::kUnion:
      case TermOp::kIntersect:
      case TermOp::kMinus:
      case TermOp::kComplement:
      case TermOp::kSequence:
      case TermOp::kInverse:
      case TermOp::kTransitive:
      case TermOp::kReflexive:
      case TermOp::kClosure:
      case TermOp::kProduct:
      case TermOp::kIdentity:
      case TermOp::kDomain:
      case TermOp::kRange:
        break;
    }
    if (const std::optional<uint32_t> restricted = build_restricted(term)) return *restricted;
    return combine(term, build(term.a), build(term.b));
  }

  // The base relation, if the term is one with many pairs.
  std::optional<Base> large_base(TermId id) const {
    const Term& term = model_.term(id);
    if (term.op != TermOp::kBase || term.is_set) return std::nullopt;
    const std::optional<Base> base = base_of(term.name);
    const bool large = base == Base::kLoc || base == Base::kInt || base == Base::kExt;
    return large ? base : std::nullopt;
  }

  // a & b, and a without b, where b has so many pairs that it is better not computed. Nothing if it is not so.
  std::optional<uint32_t> build_restricted(const Term& term) {
    if (term.is_set || (term.op != TermOp::kIntersect && term.op != TermOp::kMinus)) return std::nullopt;
    const bool meet = term.op == TermOp::kIntersect;
    TermId kept = term.a, large = term.b;
    if (meet && !large_base(large) && (large_base(kept) || model_.term(kept).op == TermOp::kProduct))
      std::swap(kept, large);
    if (const std::optional<Base> base = large_base(large)) {
      const uint32_t a = build(kept);
      if (a == kNoTerm) return kNoTerm;
      return make({.op = meet ? PlanOp::kWithin : PlanOp::kOutside, .a = a, .base = *base});
    }
    if (!meet || model_.term(large).op != TermOp::kProduct) return std::nullopt;
    // a & (s * t) is [s]; a; [t].
    const uint32_t a = build(kept), from = build(model_.term(large).a), to = build(model_.term(large).b);
    if (a == kNoTerm || from == kNoTerm || to == kNoTerm) return kNoTerm;
    return make({.op = PlanOp::kTo, .a = make({.op = PlanOp::kFrom, .a = from, .b = a}), .b = to});
  }

  // A set whose members follow from the operands event by event is one more bit of the events.
  uint32_t join(PlanOp op, bool is_set, uint32_t a, uint32_t b) {
    const auto is_static = [&](uint32_t term) {
      return term == kNoTerm || plan_.terms_[term].op == PlanOp::kSet;
    };
    const size_t bits = plan_.sets_.size();
    if (!is_set || !is_static(a) || !is_static(b) || bits == kMostSets)
      return make({.op = op, .is_set = is_set, .a = a, .b = b});
    return set_bit({.op = op, .a = plan_.terms_[a].set_bit, .b = b == kNoTerm ? 0 : plan_.terms_[b].set_bit});
  }

  // The set of that definition; none if the program has no such event.
  uint32_t set_bit(const ModelPlan::SetDefinition& definition) {
    std::vector<ModelPlan::SetDefinition>& sets = plan_.sets_;
    const auto found = std::find(sets.begin(), sets.end(), definition);
    const auto bit = static_cast<uint32_t>(found - sets.begin());
    if (found == sets.end()) {
      if (sets.size() == kMostSets)
        throw Unsupported("a model that distinguishes more than 64 sets of events");
      sets.push_back(definition);
    }
    const bool possible = std::any_of(kinds_.begin(), kinds_.end(), [&](const Kind& kind) {
      return ((plan_.sets_of(kind) >> bit) & 1) != 0;
    });
    return possible ? make({.op = PlanOp::kSet, .is_set = true, .set_bit = bit}) : kNoTerm;
  }

  uint32_t combine(const Term& term, uint32_t a, uint32_t b) {
    const bool no_a = a == kNoTerm, no_b = b == kNoTerm;
    switch (term.op) {
      case TermOp::kUnion:
        if (no_a || no_b) return no_a ? b : a;
        return a == b ? a : join(PlanOp::kUnion, term.is_set, a, b);
      case TermOp::kIntersect:
        if (no_a || no_b) return kNoTerm;
        if (!term.is_set && component_ == kNoTerm) {
          const PlanTerm first = plan_.terms_[a], second = plan_.terms_[b];
          if (is_sparse(first) && second.op == PlanOp::kSequence)
            return make({.op = PlanOp::kMeet, .a = a, .b = second.a, .c = second.b});
          if (is_sparse(second) && first.op == PlanOp::kSequence)
            return make({.op = PlanOp::kMeet, .a = b, .b = first.a, .c = first.b});
        }
        return a == b ? a : join(PlanOp::kIntersect, term.is_set, a, b);
      case TermOp::kMinus:
        if (no_a || no_b) return a;
        return a == b ? kNoTerm : join(PlanOp::kMinus, term.is_set, a, b);
      case TermOp::kComplement:
        if (no_a)
          return term.is_set ? build_set("_")
                             : make({.op = PlanOp::kProduct, .a = build_set("_"), .b = build_set("_")});
        return join(PlanOp::kComplement, term.is_set, a, kNoTerm);
      case TermOp::kSequence:
        return no_a || no_b ? kNoTerm : sequence(a, b);
      case TermOp::kInverse:
        return no_a ? kNoTerm : make({.op = PlanOp::kInverse, .a = a});
      case TermOp::kTransitive:
        return no_a ? kNoTerm : transitive(a);
      case TermOp::kReflexive:
        return no_a ? identity() : make({.op = PlanOp::kReflexive, .a = a});
      case TermOp::kClosure:
        return no_a ? identity() : make({.op = PlanOp::kReflexive, .a = transitive(a)});
      case TermOp::kProduct:
        return no_a || no_b ? kNoTerm : make({.op = PlanOp::kProduct, .a = a, .b = b});
      case TermOp::kIdentity:
        return no_a ? kNoTerm : make({.op = PlanOp::kIdentity, .a = a});
      case TermOp::kDomain:
        return no_a ? kNoTerm : make({.op = PlanOp::kDomain, .is_set = true, .a = a});
      case TermOp::kRange:
        return no_a ? kNoTerm : make({.op = PlanOp::kRange, .is_set = true, .a = a});
      case TermOp::kBase:
      case TermOp::kEmpty:
      case TermOp::kRecursive:
        break;
    }
    throw Bug("a term without operands");
  }

  static bool is_sparse(const PlanTerm& term) {
    return term.op == PlanOp::kBase && (term.base == Base::kRmw || term.base == Base::kRf);
  }

  void find_coherence_rule(const PlanConstraint& axiom) {
    const PlanTerm of = plan_.terms_[axiom.term];
    const auto outside = [&](uint32_t id, Base base) {  // id, or id limited to pairs of different threads
      const PlanTerm& term = plan_.terms_[id];
      return TermFacts::is_base(term, base) || (term.op == PlanOp::kWithin && term.base == Base::kExt &&
                                                TermFacts::is_base(plan_.terms_[term.a], base));
    };
    if (axiom.kind == ConstraintKind::kEmpty) {
      if (of.op == PlanOp::kMeet && TermFacts::is_base(plan_.terms_[of.a], Base::kRmw) &&
          outside(of.b, Base::kFr) && outside(of.c, Base::kCo))
        plan_.rmws_are_adjacent_ = true;
      return;
    }
    // irreflexive t; eco or eco; t, where t is a closure with po.
    if (axiom.second != kNoTerm) {
      for (const auto& [t, eco] : {std::pair(axiom.term, axiom.second), {axiom.second, axiom.term}}) {
        const PlanTerm closure = plan_.terms_[t];
        if (TermFacts::is_base(plan_.terms_[eco], Base::kEco) && closure.op == PlanOp::kTransitive &&
            TermFacts::has_base(facts().leaves_of_union(closure.a), Base::kPo))
          plan_.coherence_rules_.push_back({t, false});
      }
      return;
    }
    // acyclic po | rf | co | fr, or with po & loc instead of po, and more.
    if (of.op != PlanOp::kTransitive) return;
    const std::vector<PlanTerm> leaves = facts().leaves_of_union(of.a);
    if (!TermFacts::has_base(leaves, Base::kRf) || !TermFacts::has_base(leaves, Base::kCo) ||
        !TermFacts::has_base(leaves, Base::kFr))
      return;
    if (TermFacts::has_base(leaves, Base::kPo)) {
      plan_.coherence_rules_.push_back({axiom.term, false});
    } else if (std::any_of(leaves.begin(), leaves.end(), [&](const PlanTerm& leaf) {
                 return leaf.op == PlanOp::kWithin && leaf.base == Base::kLoc &&
                        TermFacts::has_base(facts().leaves_of_union(leaf.a), Base::kPo);
               })) {
      plan_.coherence_rules_.push_back({axiom.term, true});
    }
  }

  uint32_t transitive(uint32_t a) {
    if (facts().is_communication(a)) return make({.op = PlanOp::kBase, .base = Base::kEco});
    return plan_.terms_[a].op == PlanOp::kTransitive ? a : make({.op = PlanOp::kTransitive, .a = a});
  }

  uint32_t sequence(uint32_t a, uint32_t b) {
    if (a == identity()) return b;
    if (b == identity()) return a;
    const PlanTerm& first = plan_.terms_[a];
    const PlanTerm& second = plan_.terms_[b];
    if (first.op == PlanOp::kIdentity) return make({.op = PlanOp::kFrom, .a = first.a, .b = b});
    if (second.op == PlanOp::kIdentity) return make({.op = PlanOp::kTo, .a = a, .b = second.a});
    return make({.op = PlanOp::kSequence, .a = a, .b = b});
  }

  uint32_t identity() { return make({.op = PlanOp::kBase, .base = Base::kId}); }

  uint32_t build_set(const std::string& name) {
    if (name == "FW") throw Unsupported("the executions engine does not support the set FW of a model");
    return set_bit({.name = name});
  }

  uint32_t build_base(const std::string& name) {
    // An execution here has no observer and no `sync`.
    if (name == "observed" || name == "waited") return kNoTerm;
    const std::optional<Base> base = base_of(name);
    if (!base)
      throw Unsupported(
          fmt::format("the executions engine does not support the relation '{}' of a model", name));
    if (*base == Base::kRmw && !rmws_) return kNoTerm;
    if (*base == Base::kAtomic && !sections_) {
      if (!rmws_) return kNoTerm;
      const uint32_t rmw = make({.op = PlanOp::kBase, .base = Base::kRmw});
      return make({.op = PlanOp::kUnion, .a = rmw, .b = make({.op = PlanOp::kInverse, .a = rmw})});
    }
    if (*base == Base::kAddr || *base == Base::kData || *base == Base::kCtrl) plan_.uses_dependencies_ = true;
    return make({.op = PlanOp::kBase, .base = *base});
  }

  // All variables come first and their bodies, which mention them, behind them.
  uint32_t build_recursive(const Term& term) {
    if (variables_.empty()) {
      for (size_t i = 0; i < model_.recursive.size(); ++i) {
        plan_.terms_.push_back({.op = PlanOp::kVariable, .is_set = model_.term(model_.recursive[i]).is_set});
        variables_.push_back(static_cast<uint32_t>(plan_.terms_.size() - 1));
        for (size_t t = 0; t < model_.terms.size(); ++t)
          if (model_.terms[t].op == TermOp::kRecursive && model_.terms[t].index == i)
            built_[t] = variables_[i];
      }
      const uint32_t outside = std::exchange(component_, 0);
      for (const uint32_t variable : variables_) plan_.terms_[variable].component = component_;
      for (size_t i = 0; i < model_.recursive.size(); ++i)
        plan_.terms_[variables_[i]].a = build(model_.recursive[i]);
      component_ = outside;
      end_of_equations_ = static_cast<std::ptrdiff_t>(plan_.terms_.size());
      find_recursive_terms();
    }
    return variables_[term.index];
  }

  // Of those behind the variables, only what needs one is computed together with them.
  void find_recursive_terms() {
    std::vector<PlanTerm>& terms = plan_.terms_;
    for (size_t i = variables_.front(); i < terms.size(); ++i) {
      const auto is_recursive = [&](uint32_t operand) {
        return operand != kNoTerm && terms[operand].component != kNoTerm;
      };
      PlanTerm& term = terms[i];
      if (term.op != PlanOp::kVariable && !is_recursive(term.a) && !is_recursive(term.b) &&
          !is_recursive(term.c))
        term.component = kNoTerm;
    }
  }

  const CatModel& model_;
  ModelPlan& plan_;
  std::vector<Kind> kinds_;
  const bool sections_, rmws_;
  std::vector<uint32_t> built_;  // by term of the model
  std::map<std::tuple<PlanOp, bool, uint32_t, uint32_t, uint32_t, Base, uint32_t>, uint32_t> known_;
  std::vector<uint32_t> variables_;
  std::ptrdiff_t end_of_equations_ = 0;
  uint32_t component_ = kNoTerm;
};

ModelPlan::ModelPlan(const CatModel& model, const Overlay& overlay) {
  PlanBuilder(model, overlay, *this).build();
}

uint64_t ModelPlan::sets_of(const EventKind& event) const {
  uint64_t result = 0;
  for (size_t i = 0; i < sets_.size(); ++i) {
    const SetDefinition& set = sets_[i];
    const bool a = (result >> set.a) & 1, b = (result >> set.b) & 1;
    const bool member = set.op == PlanOp::kSet         ? is_in_set(set.name, event)
                        : set.op == PlanOp::kUnion     ? a || b
                        : set.op == PlanOp::kIntersect ? a && b
                        : set.op == PlanOp::kMinus     ? a && !b
                                                       : !a;
    if (member) result |= uint64_t{1} << i;
  }
  return result;
}

}  // namespace fenceline::executions
