// SPDX-License-Identifier: GPL-3.0-or-later
//
// A memory model made ready for graphs that grow event by event: its terms in an order in which operands come first,
// without what the program at hand cannot have. A program without seq_cst accesses has no `SC` events, so every term that
// needs one is empty, and most of rc11 is gone before the exploration begins. Axioms that every graph satisfies are left
// out, too: po | rf has no cycle in a graph, and neither has rf | co | fr.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "ir/edit/overlay.h"
#include "model/cat/relational.h"

namespace fenceline::executions {

enum class Base : uint8_t {
  kPo,
  kRf,
  kCo,
  kFr,
  kAddr,
  kData,
  kCtrl,
  kRmw,
  kLoc,
  kInt,
  kExt,
  kId,
  kAtomic,
  kEco,  // (rf | co | fr)+, which follows from the places of writes in coherence order
};

enum class PlanOp : uint8_t {
  kSet,    // a base set: bit `set_bit` of an event's sets
  kBase,   // a base relation
  kUnion,  // of sets or relations, as the next three
  kIntersect,
  kMinus,
  kComplement,
  kSequence,
  kInverse,
  kTransitive,
  kReflexive,
  kProduct,
  kIdentity,
  kWithin,   // a & base, where base is loc, int or ext: these have many pairs, and are computed when needed
  kOutside,  // the difference of a and base, likewise
  kFrom,     // [a]; b with a set a
  kTo,       // a; [b] with a set b
  kMeet,     // a & (b; c), where a has few pairs
  kDomain,
  kRange,
  kVariable,  // of a `let rec`: the least solution, `a` is its body
};

constexpr uint32_t kNoTerm = ~0U;

struct PlanTerm {
  PlanOp op = PlanOp::kBase;
  bool is_set = false;
  uint32_t a = kNoTerm, b = kNoTerm, c = kNoTerm;
  Base base = Base::kPo;
  uint32_t set_bit = 0;
  uint32_t component = kNoTerm;  // of terms that are computed together, being mutually recursive
};

struct PlanConstraint {
  ConstraintKind kind = ConstraintKind::kIrreflexive;  // never kAcyclic: that is kIrreflexive of the closure
  bool negated = false;
  uint32_t term = kNoTerm;
  uint32_t second = kNoTerm;  // kIrreflexive: if there is one, this is about the sequence of both
  size_t number = 0;          // among CatModel::constraints
};

// An axiom forbids that an event accesses its cell before an event, in the order of eco, that `term` orders before it.
struct CoherenceRule {
  uint32_t term =
      kNoTerm;  // contains what it orders before an event, and the event, also for later events of its thread,
  bool of_one_cell = false;  // if these access the same cell
};

class ModelPlan {
 public:
  // Throws Unsupported for base relations that graphs do not have.
  ModelPlan(const CatModel& model, const Overlay& overlay);

  const std::vector<PlanTerm>& terms() const { return terms_; }
  // Those that executions must satisfy; terms below first_flag_term() suffice for these.
  const std::vector<PlanConstraint>& axioms() const { return axioms_; }
  const std::vector<PlanConstraint>& flags() const { return flags_; }
  size_t first_flag_term() const { return first_flag_term_; }
  // Consequences of axioms, by which an event can be rejected before it is added.
  const std::vector<CoherenceRule>& coherence_rules() const { return coherence_rules_; }
  // True if whether a flag is raised because of two events is known as soon as both are there: later events change
  // nothing. And (x, y) raises it if (y, x) does.
  bool flags_are_about_pairs() const { return flags_are_about_pairs_; }
  // No write of another thread is between the write that a read-modify-write reads and its own.
  bool rmws_are_adjacent() const { return rmws_are_adjacent_; }
  bool uses_dependencies() const { return uses_dependencies_; }

  // An event, as far as sets look at it: the read or write of an instruction, or a fence.
  enum class Part : uint8_t { kRead, kWrite, kFence };
  struct EventKind {
    const Instruction* instruction = nullptr;  // null: an initial write
    Part part = Part::kWrite;
    bool in_section = false;
  };
  // The sets that it is in, as bits.
  uint64_t sets_of(const EventKind& event) const;

 private:
  friend class PlanBuilder;
  std::vector<PlanTerm> terms_;
  std::vector<PlanConstraint> axioms_, flags_;
  // By bit: a set of the model, or what two others make.
  struct SetDefinition {
    PlanOp op = PlanOp::kSet;  // kSet: `name`; else kUnion, kIntersect, kMinus or kComplement of these
    std::string name = {};
    uint32_t a = 0, b = 0;
    friend bool operator==(const SetDefinition&, const SetDefinition&) = default;
  };
  std::vector<SetDefinition> sets_;
  size_t first_flag_term_ = 0;
  std::vector<CoherenceRule> coherence_rules_;
  bool rmws_are_adjacent_ = false, flags_are_about_pairs_ = false;
  bool uses_dependencies_ = false;
};

}  // namespace fenceline::executions
