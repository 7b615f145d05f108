// SPDX-License-Identifier: GPL-3.0-or-later
//
// Projects dimensions out. An equality in which the dimension has the coefficient 1 or -1 defines it, and is
// substituted into the other facts. Without an equality it is Fourier-Motzkin elimination: each lower bound is
// at most each upper bound. For integers this is exact if one bound of each pair has the coefficient 1 (Pugh,
// The Omega Test, 1991, section 2.3.1): between l and u/b there is an integer whenever l <= u/b.
#include <algorithm>

#include "check/linear/linear_solver.h"

namespace fenceline::check {
namespace {

constexpr size_t kMostFacts = 400;

bool is_unit(const Integer& coefficient) { return coefficient == 1 || coefficient == -1; }

class Projection {
 public:
  Projection(std::vector<LinearFact> facts, bool exactly) : facts_(std::move(facts)), exactly_(exactly) {}

  // False: it cannot be done exactly.
  bool eliminate(Dimension d) {
    find_equality(d);
    size_t solved = facts_.size();
    for (size_t i = 0; i < facts_.size(); ++i) {
      const Integer c = facts_[i].form.coefficient(d);
      if (!facts_[i].equality || c == 0) continue;
      if (solved == facts_.size() || is_unit(c)) solved = i;
    }
    if (solved != facts_.size()) return eliminate_by_equality(d, solved);
    return eliminate_by_pairs(d);
  }

  std::vector<LinearFact> take() { return std::move(facts_); }

 private:
  // Two inequalities may leave one value.
  void find_equality(Dimension d) {
    for (LinearFact& fact : facts_) {
      if (fact.equality || fact.form.coefficient(d) != 1) continue;
      const LinearFact opposite{scaled_form(fact.form, -1), false};
      if (std::find(facts_.begin(), facts_.end(), opposite) == facts_.end()) continue;
      fact.equality = true;
      return;
    }
  }

  bool eliminate_by_equality(Dimension d, size_t which) {
    const LinearForm equal = facts_[which].form;
    const Integer c = equal.coefficient(d);
    if (exactly_ && !is_unit(c)) return false;
    const Integer size = c < 0 ? -c : c, sign = c < 0 ? -1 : 1;
    std::vector<LinearFact> left;
    for (size_t i = 0; i < facts_.size(); ++i) {
      if (i == which) continue;
      const Integer other = facts_[i].form.coefficient(d);
      if (other == 0)
        keep(left, facts_[i]);
      else
        keep(left, {combined(scaled_form(facts_[i].form, size), -(sign * other), equal), facts_[i].equality});
    }
    facts_ = std::move(left);
    return true;
  }

  bool eliminate_by_pairs(Dimension d) {
    std::vector<LinearFact> left;
    std::vector<LinearForm> below, above;
    for (const LinearFact& fact : facts_) {
      const Integer c = fact.form.coefficient(d);
      if (c == 0)
        keep(left, fact);
      else
        (c > 0 ? below : above).push_back(fact.form);
    }
    const bool too_many = left.size() + below.size() * above.size() > kMostFacts;
    if (too_many && exactly_) return false;
    for (size_t i = 0; i < below.size() && !too_many; ++i)
      for (const LinearForm& high : above) {
        const Integer l = below[i].coefficient(d), h = -high.coefficient(d);
        if (exactly_ && l != 1 && h != 1) return false;
        keep(left, {combined(scaled_form(below[i], h), l, high), false});
      }
    facts_ = std::move(left);
    return true;
  }

  // A contradiction is kept as it is: the caller tests for it.
  static void keep(std::vector<LinearFact>& facts, LinearFact fact) {
    if (tighten(fact) && fact.form.is_constant()) return;
    for (LinearFact& known : facts) {
      if (known.equality != fact.equality || known.form.terms != fact.form.terms) continue;
      if (known.form.constant == fact.form.constant) return;
      if (known.equality) continue;
      known.form.constant = std::min(known.form.constant, fact.form.constant);
      return;
    }
    facts.push_back(std::move(fact));
  }

  std::vector<LinearFact> facts_;
  bool exactly_;
};

}  // namespace

std::optional<std::vector<LinearFact>> project(std::vector<LinearFact> facts,
                                               const std::vector<Dimension>& eliminate, bool exactly) {
  Projection projection(std::move(facts), exactly);
  for (const Dimension d : eliminate)
    if (!projection.eliminate(d)) return std::nullopt;
  return projection.take();
}

}  // namespace fenceline::check
