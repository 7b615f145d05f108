// SPDX-License-Identifier: GPL-3.0-or-later
#include "check/linear/linear_solver.h"

#include <algorithm>

#include "check/linear/simplex.h"

namespace fenceline::check {
namespace {

constexpr size_t kPointsKept = 8;

bool same_terms(const LinearForm& a, const LinearForm& b) { return a.terms == b.terms; }

bool opposite_terms(const LinearForm& a, const LinearForm& b) {
  return std::equal(a.terms.begin(), a.terms.end(), b.terms.begin(), b.terms.end(),
                    [](const auto& x, const auto& y) { return x.first == y.first && x.second == -y.second; });
}

LinearForm negated(const LinearForm& form) { return scaled_form(form, -1); }

Rational value_at(const LinearForm& form, const std::map<Dimension, Rational>& point) {
  Rational sum = form.constant;
  for (const auto& [d, coefficient] : form.terms) sum = sum + Rational(coefficient) * point.at(d);
  return sum;
}

bool speaks_about(const std::map<Dimension, Rational>& point, const LinearForm& form) {
  return std::all_of(form.terms.begin(), form.terms.end(),
                     [&](const auto& term) { return point.count(term.first) != 0; });
}

}  // namespace

// ---- Forms
// -------------------------------------------------------------------------------------------------

Integer LinearForm::coefficient(Dimension d) const {
  const auto found = std::lower_bound(terms.begin(), terms.end(), d,
                                      [](const auto& term, Dimension wanted) { return term.first < wanted; });
  return found != terms.end() && found->first == d ? found->second : 0;
}

LinearForm combined(const LinearForm& a, const Integer& factor, const LinearForm& b) {
  LinearForm result;
  if (factor == 0) return a;
  result.constant = a.constant + factor * b.constant;
  result.terms.reserve(a.terms.size() + b.terms.size());
  auto x = a.terms.begin();
  auto y = b.terms.begin();
  while (x != a.terms.end() || y != b.terms.end()) {
    if (y == b.terms.end() || (x != a.terms.end() && x->first < y->first)) {
      result.terms.push_back(*x++);
    } else if (x == a.terms.end() || y->first < x->first) {
      result.terms.emplace_back(y->first, factor * y->second);
      ++y;
    } else {
      const Integer sum = x->second + factor * y->second;
      if (sum != 0) result.terms.emplace_back(x->first, sum);
      ++x, ++y;
    }
  }
  return result;
}

LinearForm scaled_form(const LinearForm& a, const Integer& factor) { return combined({}, factor, a); }

LinearForm form_of(const Linear& linear) {
  LinearForm form = LinearForm::of(linear.constant);
  for (const auto& [d, coefficient] : linear.terms)
    if (coefficient != 0) form.terms.emplace_back(d, coefficient);
  return form;
}

bool tighten(LinearFact& fact) {
  LinearForm& form = fact.form;
  if (form.is_constant()) return fact.equality ? form.constant == 0 : form.constant >= 0;
  Integer divisor = 0;
  for (const auto& [d, coefficient] : form.terms) {
    divisor = greatest_common_divisor(divisor, coefficient);
    if (divisor == 1) break;
  }
  if (divisor != 1) {
    if (fact.equality && form.constant % divisor != 0) return false;
    form.constant = floor_quotient(form.constant, divisor);
    for (auto& [d, coefficient] : form.terms) coefficient /= divisor;
  }
  if (fact.equality && form.terms.front().second < 0) form = negated(form);
  return true;
}

// ---- What is known
// -----------------------------------------------------------------------------------------

LinearForm LinearSystem::reduced(const LinearForm& form) const {
  const bool touched = std::any_of(form.terms.begin(), form.terms.end(),
                                   [&](const auto& term) { return solved_.count(term.first) != 0; });
  if (!touched) return form;
  LinearForm result = LinearForm::of(form.constant);
  for (const auto& [d, coefficient] : form.terms) {
    const auto solution = solved_.find(d);
    result = combined(result, coefficient,
                      solution == solved_.end() ? LinearForm::dimension(d) : solution->second);
  }
  return result;
}

bool LinearSystem::add(const LinearFact& fact) {
  points_.clear();
  answers_.clear();
  table_.reset();
  LinearFact news{reduced(fact.form), fact.equality};
  if (!tighten(news)) return false;
  if (news.form.is_constant()) return true;
  if (!news.equality) {
    add_inequality(std::move(news.form));
    return find_equalities();
  }
  // The last one: it is most often one that was made just now and is in few other facts.
  for (auto term = news.form.terms.rbegin(); term != news.form.terms.rend(); ++term) {
    const auto [d, coefficient] = *term;
    if (coefficient != 1 && coefficient != -1) continue;
    // c*d + rest == 0 is d == -rest/c.
    const LinearForm rest = combined(news.form, -coefficient, LinearForm::dimension(d));
    return solve_for(d, scaled_form(rest, -coefficient)) && find_equalities();
  }
  add_inequality(news.form);
  add_inequality(negated(news.form));
  return true;
}

// Two inequalities that leave one value are an equality. What it says is put into the others, which can then
// become stronger for integers than they were before.
bool LinearSystem::find_equalities() {
  for (size_t i = 0; i < inequalities_.size(); ++i)
    for (size_t j = 0; j < i; ++j) {
      if (!opposite_terms(inequalities_[i], inequalities_[j])) continue;
      const LinearForm form = inequalities_[i];
      const Integer gap = form.constant + inequalities_[j].constant;
      if (gap < 0) return false;
      const auto is_unit = [](const auto& term) { return term.second == 1 || term.second == -1; };
      if (gap > 0 || std::none_of(form.terms.begin(), form.terms.end(), is_unit)) continue;
      inequalities_.erase(inequalities_.begin() + static_cast<std::ptrdiff_t>(i));
      inequalities_.erase(inequalities_.begin() + static_cast<std::ptrdiff_t>(j));
      return add({form, true});
    }
  return true;
}

bool LinearSystem::solve_for(Dimension d, const LinearForm& solution) {
  for (auto& [other, form] : solved_)
    if (const Integer c = form.coefficient(d); c != 0)
      form = combined(combined(form, -c, LinearForm::dimension(d)), c, solution);
  solved_.emplace(d, solution);
  std::vector<LinearForm> before;
  before.swap(inequalities_);
  for (LinearForm& form : before) {
    const Integer c = form.coefficient(d);
    if (c != 0) {
      LinearFact changed{combined(combined(form, -c, LinearForm::dimension(d)), c, solution), false};
      if (!tighten(changed)) return false;
      if (changed.form.is_constant()) continue;
      form = std::move(changed.form);
    }
    add_inequality(std::move(form));
  }
  return true;
}

void LinearSystem::add_inequality(LinearForm form) {
  for (LinearForm& known : inequalities_)
    if (same_terms(known, form)) {
      known.constant = std::min(known.constant, form.constant);
      return;
    }
  inequalities_.push_back(std::move(form));
}

// ---- Queries
// ---------------------------------------------------------------------------------------------

bool LinearSystem::feasible() const {
  auto table = std::make_shared<SimplexTable>(inequalities_);
  if (!table->solve()) return false;
  points_.push_back(table->point());
  table_ = std::move(table);
  return true;
}

bool LinearSystem::implies(const LinearFact& fact) const {
  const LinearForm form = reduced(fact.form);
  if (!fact.equality) return implies_not_negative(form);
  return form.is_constant() ? form.constant == 0
                            : implies_not_negative(form) && implies_not_negative(negated(form));
}

// Precondition: the form is reduced.
bool LinearSystem::implies_not_negative(const LinearForm& queried) const {
  LinearFact fact{queried, false};
  if (queried.is_constant()) return queried.constant >= 0;
  tighten(fact);
  const LinearForm& form = fact.form;
  for (const LinearForm& known : inequalities_)
    if (same_terms(known, form) && known.constant <= form.constant) return true;
  if (refuted_by_a_point(form)) return false;
  if (by_bounds(form)) return true;
  const auto answered = answers_.find(form);
  if (answered != answers_.end()) return answered->second;
  if (!table_ && !feasible()) return true;
  const bool answer = !table_->reaches_minus_one(form);
  if (!answer) {
    if (points_.size() == kPointsKept) points_.erase(points_.begin());
    points_.push_back(table_->point());
  }
  answers_.emplace(form, answer);
  return answer;
}

bool LinearSystem::refuted_by_a_point(const LinearForm& form) const {
  return std::any_of(points_.begin(), points_.end(), [&](const Point& point) {
    return speaks_about(point, form) && !(Rational(-1) < value_at(form, point));
  });
}

// The least value that the bounds of the single dimensions allow.
bool LinearSystem::by_bounds(const LinearForm& form) const {
  Integer least = form.constant;
  for (const auto& [d, coefficient] : form.terms) {
    const Integer sign = coefficient > 0 ? 1 : -1;
    const auto bound =
        std::find_if(inequalities_.begin(), inequalities_.end(), [&, dim = d](const auto& known) {
          return known.terms.size() == 1 && known.terms[0].first == dim && known.terms[0].second == sign;
        });
    if (bound == inequalities_.end()) return false;
    // sign * d + constant >= 0: |coefficient| * (sign * d) is at least -|coefficient| * constant.
    least -= coefficient * sign * bound->constant;
  }
  return least >= 0;
}

}  // namespace fenceline::check
