// SPDX-License-Identifier: GPL-3.0-or-later
//
// Does one linear inequality follow from others? All arithmetic reasoning of the checker of numeric
// certificates is here. Numbers are exact, however large (integer.h), so that no answer depends on a truncated
// number.
//
// The facts are about integers, and are relaxed to rationals only when a query is answered, after each has been
// tightened for integers: 2x >= 1 is x >= 1. So `yes` holds for integers, and `no` holds for rationals, which
// is as precise as a polyhedron.
//
// A query is answered by the cheapest means that can. Equalities are solved for a dimension when they come
// in, and are put into whatever comes later. Then a fact with the same terms may be there already; or an
// earlier counterexample is one to this query too; or the bounds of single dimensions are enough. What is
// left goes to the simplex method, which starts from where it ended the last time.
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <utility>
#include <vector>

#include "base/linear.h"
#include "check/linear/rational.h"

namespace fenceline::check {

class SimplexTable;

// constant + sum of coefficient * dimension.
struct LinearForm {
  Integer constant = 0;
  std::vector<std::pair<Dimension, Integer>> terms;  // by dimension; no coefficient is 0

  static LinearForm of(Integer value) { return {value, {}}; }
  static LinearForm dimension(Dimension d) { return {0, {{d, 1}}}; }
  bool is_constant() const { return terms.empty(); }
  Integer coefficient(Dimension d) const;

  friend bool operator==(const LinearForm&, const LinearForm&) = default;
  friend auto operator<=>(const LinearForm&, const LinearForm&) = default;
};

// a + factor * b.
LinearForm combined(const LinearForm& a, const Integer& factor, const LinearForm& b);
LinearForm scaled_form(const LinearForm& a, const Integer& factor);
LinearForm form_of(const Linear& linear);

// form >= 0, or == 0.
struct LinearFact {
  LinearForm form;
  bool equality = false;

  friend bool operator==(const LinearFact&, const LinearFact&) = default;
  friend auto operator<=>(const LinearFact&, const LinearFact&) = default;
};

// As strong as it can be made for integers, and as simple. False: there are no integers like that.
bool tighten(LinearFact& fact);

// A conjunction of facts.
class LinearSystem {
 public:
  // False: it contradicts what is there, and the system must not be queried any more. That it does not say so
  // does not mean that there is no contradiction.
  bool add(const LinearFact& fact);
  // Are there rationals with which all facts hold?
  bool feasible() const;
  // Does it follow? Precondition: feasible().
  bool implies(const LinearFact& fact) const;
  // The form with what equalities say put in.
  LinearForm reduced(const LinearForm& form) const;

  const std::vector<LinearForm>& inequalities() const { return inequalities_; }

 private:
  using Point = std::map<Dimension, Rational>;

  void add_inequality(LinearForm form);
  bool find_equalities();
  bool solve_for(Dimension d, const LinearForm& solution);
  bool implies_not_negative(const LinearForm& form) const;
  bool by_bounds(const LinearForm& form) const;
  bool refuted_by_a_point(const LinearForm& form) const;

  std::map<Dimension, LinearForm> solved_;  // no solution has a dimension that is solved
  std::vector<LinearForm> inequalities_;    // no two with the same terms
  // What earlier queries have computed. Copies of a system share the table until they differ.
  mutable std::vector<Point> points_;  // each satisfies all facts
  mutable std::map<LinearForm, bool> answers_;
  mutable std::shared_ptr<SimplexTable> table_;
};

// Projects onto the dimensions to keep. `exactly`: what is left holds for just those integers for which
// there are integers for the eliminated ones; if that is not easily said, there is no result. Otherwise it
// holds for those, and maybe for more.
std::optional<std::vector<LinearFact>> project(std::vector<LinearFact> facts,
                                               const std::vector<Dimension>& eliminate, bool exactly);

}  // namespace fenceline::check
