// SPDX-License-Identifier: GPL-3.0-or-later
//
// same_values.h, for constraints in which no path leads from s to r': the reads r' of w are of other threads, and read
// from s instead. What does that do to the terms of the model?
//
// Two properties of a term t are followed through its operators. Let t be what it was, and t' what it is then, on the
// events that stay.
//
//   *gains from the source*: every new pair of t' is a pair (s, y), and (w, y) was in t. So it is for rf and rfe, with
//   y = r'; for `rfe; fence`; and so on.
//
//   *right-closed*: with (x, s) also (x, w) is in t. Coherence is, and fr; so is program order if s and w are of one
//   thread, and a relation that has a step from s to w at its end: the `cc` of Power, which (s, w) is in, makes
//   `ic = ... | (ic; cc)` right-closed.
//
// Then `a; b` has no new pair at all if a has none and is right-closed, and b gains from the source: instead of
// x -a-> s -b-> y there was x -a-> w -b-> y. And `acyclic t` holds as before if t gains from the source and is right-closed
// or has a path from s to w. On Power all of this is needed, in one constraint or the other.
//
// There is one thing that neither property gives, the `irreflexive fre; prop; hb*` of Power, if s is of another thread than
// w: x -fre-> s may be an edge between threads, and from x to w lead none, because x is of the thread of w. But then x
// comes before w in program order, and the new cycle s -> y -> x -> s would have been the cycle w -> y -> x -> w of
// another constraint, if that has all of its edges.
#pragma once

#include <vector>

#include "engine/sat/scene.h"
#include "ir/instruction.h"
#include "model/cat/relational.h"

namespace fenceline::sat {

class RedirectedReads {
 public:
  enum class Source : uint8_t {
    kOtherThread,  // s is of another thread than w, r' of a third one, or s is an initial write
    kOfReader,     // s is of the thread of r'
    kOwnThread,    // s is of the thread of w
  };

  // Precondition: the model forbids reading the future; w comes right behind s in coherence order.
  RedirectedReads(const CatModel& model, const Instruction& instruction, Source source);

  // Do the variables of `let rec` have no new pairs?
  bool recursion_is_stable() const;
  // Does the constraint, which is no flag, hold as before? Precondition: recursion_is_stable().
  bool keeps(const Constraint& constraint) const;

 private:
  // The new pairs of a term.
  struct Gain {
    bool none = true;
    bool only_reads = true;   // (s, r') at most
    bool from_source = true;  // see above
  };
  static Gain anything() { return {false, false, false}; }

  const Term& term(TermId id) const { return model_.term(id); }
  bool is(TermId id, std::string_view base) const;
  void flatten(TermId id, TermOp op, std::vector<TermId>& result) const;
  bool surely(TermId id, size_t from, size_t to) const {
    return (bounds_[id.index()].lower & bit(from, to)) != 0;
  }
  bool maybe(TermId id, size_t from, size_t to) const {
    return (bounds_[id.index()].upper & bit(from, to)) != 0;
  }
  bool has_path(TermId id, size_t from, size_t to) const;
  const Gain& gain(TermId id) const { return gains_[id.index()]; }
  bool is_fixed(TermId id) const { return about_their_ends_[id.index()] && !names_rf_[id.index()]; }

  Gain gain_of(const Term& t, TermId id) const;
  Gain gain_of_meet(const Term& t, TermId id) const;
  Gain gain_of_difference(const Term& t, TermId id) const;
  Gain gain_of_sequence(const std::vector<TermId>& factors) const;
  Gain gain_of_closure(TermId inner) const;
  bool looks_back_within_thread(TermId within, TermId path) const;
  bool is_communication_between_threads(TermId id) const;

  bool is_right_closed(TermId id) const;
  bool is_right_closed(const std::vector<TermId>& factors, size_t count) const;
  bool never_ends_at_source(TermId id) const;
  bool with_source_also_write(TermId set) const;

  bool keeps_irreflexive(TermId id) const;
  bool is_within(TermId id, const std::vector<TermId>& steps) const;
  bool new_pairs_are_within(TermId id, const std::vector<TermId>& steps) const;

  const CatModel& model_;
  const Instruction& instruction_;
  Source source_;
  std::vector<bool> about_their_ends_, names_rf_;
  std::vector<Bounds> bounds_;  // by term
  std::vector<Gain> gains_;     // by term
};

}  // namespace fenceline::sat
