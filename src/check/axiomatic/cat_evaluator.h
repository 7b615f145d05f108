// SPDX-License-Identifier: GPL-3.0-or-later
//
// Evaluates a model on one execution: the values of its terms on given base sets and relations, and which of
// its constraints hold. It has two users. The checker of executions calls it once. The enumerator calls it
// hundreds of thousands of times about executions that differ in rf and co only: so the terms that do not
// depend on these (the static ones, most of a model) are evaluated once, nothing is allocated in between, and
// excluded() decides for unfinished executions, whose rf and co may still grow, whether they can become
// consistent. It uses the constraints that are monotone: a cycle does not go away when edges are added, unless
// the relation has something dynamic behind a `\` or `~`.
//
//   CatEvaluator e(model);
//   e.begin(events);
//   ... fill e.relation(b.term) or e.set(b.term) for each b of e.static_bases()
//   e.evaluate_static();
//   ... the same for e.dynamic_bases(), then e.excluded() or e.consistent(), as often as wanted
#pragma once

#include <span>
#include <string_view>
#include <vector>

#include "check/axiomatic/relations.h"
#include "model/cat/relational.h"

namespace fenceline::check {

class CatEvaluator {
 public:
  struct BaseTerm {
    TermId term;
    bool is_set = false;
    std::string_view name;
  };

  // Keeps a pointer: the model must outlive the evaluator. Throws Unsupported for a `let rec` whose
  // right side is not monotone.
  explicit CatEvaluator(const CatModel& model);

  // A new execution with that many events: all values are empty.
  void begin(size_t events);

  // The bases that some constraint needs. Dynamic are rf, co, fr and FW.
  std::span<const BaseTerm> static_bases() const { return static_bases_; }
  std::span<const BaseTerm> dynamic_bases() const { return dynamic_bases_; }
  EventSet& set(TermId term) { return sets_[term.index()]; }
  Relation& relation(TermId term) { return relations_[term.index()]; }

  // Precondition: the static bases are filled.
  void evaluate_static();

  // The rest have as precondition that evaluate_static() has run and the dynamic bases are filled.

  // Is every execution inconsistent that has these rf, co and fr, and more?
  bool excluded();
  // Do all constraints hold that are no flags? If so, flags() has the flags that are raised.
  bool consistent();
  // Those that do not hold and are no flags; evaluates all. flags() is filled, too.
  std::vector<size_t> violated();
  const std::vector<size_t>& flags() const { return flags_; }  // indices of model.constraints

 private:
  // Terms that are evaluated together: one, or the members of a cycle through variables of `let rec`.
  struct Component {
    std::vector<TermId> terms;
    bool recursive = false;
    bool dynamic = false;
  };
  struct Planned {
    size_t constraint = 0;
    std::vector<size_t> components;  // the dynamic ones it needs and none before it in the plan
  };

  void find_components();
  void classify();
  void make_plan();
  void evaluate(const Component& component);
  void compute(TermId id);
  bool take_body(TermId variable);  // has it grown?
  bool holds(size_t constraint) const;

  const CatModel* model_;
  std::vector<Component> components_;  // operands first
  std::vector<size_t> component_of_;   // by term
  // By term: can its value only grow (only shrink) when rf, co and fr grow? Both: it is static.
  std::vector<bool> grows_, shrinks_;
  std::vector<size_t> static_constraints_;
  std::vector<Planned> plan_;  // of the other constraints: those that can exclude come first
  size_t excluding_ = 0;       // how many can
  std::vector<BaseTerm> static_bases_, dynamic_bases_;

  size_t events_ = 0;
  bool static_hold_ = true;
  std::vector<EventSet> sets_;       // by term; those that are sets have a size
  std::vector<Relation> relations_;  // by term; likewise
  std::vector<size_t> static_flags_, flags_;
};

}  // namespace fenceline::check
