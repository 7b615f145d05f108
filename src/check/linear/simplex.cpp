// SPDX-License-Identifier: GPL-3.0-or-later
//
// The simplex method in the form of Dutertre and de Moura, A Fast Linear-Arithmetic Solver for DPLL(T) (CAV
// 2006), section 3, for the case that there are lower bounds only. Each form a*x + b >= 0 is a variable
// s = a*x with the bound -b; the dimensions have no bounds. A tableau expresses the basic variables in terms of
// the others. As long as a basic variable is below its bound, it is pivoted with one that can raise it to the
// bound; if there is none, its row proves that there is no solution: it is a sum of variables that are at their
// bounds already and would have to go below.
//
// A variable that leaves the basis does so at its bound, and a dimension that has entered never has to leave,
// having no bound. So whatever is not in the basis can be moved up, and down only if it is a dimension.
//
// From a solution, another form is made smaller step by step: some variable outside the basis is moved in the
// direction that decreases it, until the first basic variable reaches its bound and is exchanged with it. If
// there is none, the form is minimal. The table still describes a solution then, so the next query starts
// there.
//
// In both cases always the first variable that will do is taken (Bland's rule), so this ends.
#include "check/linear/simplex.h"

#include <algorithm>

namespace fenceline::check {

SimplexTable::SimplexTable(const std::vector<LinearForm>& forms) {
  for (const LinearForm& form : forms)
    for (const auto& term : form.terms) dimensions_.push_back(term.first);
  std::sort(dimensions_.begin(), dimensions_.end());
  dimensions_.erase(std::unique(dimensions_.begin(), dimensions_.end()), dimensions_.end());
  for (size_t j = 0; j < dimensions_.size(); ++j) columns_.push_back(j);
  values_.resize(dimensions_.size() + forms.size());
  for (size_t i = 0; i < forms.size(); ++i) {
    rows_.emplace_back(columns_.size());
    for (const auto& [d, coefficient] : forms[i].terms) rows_.back()[*variable_of(d)] = coefficient;
    bounds_.emplace_back(-forms[i].constant);
    basis_.push_back(dimensions_.size() + i);
  }
}

std::optional<size_t> SimplexTable::variable_of(Dimension d) const {
  const auto found = std::lower_bound(dimensions_.begin(), dimensions_.end(), d);
  if (found == dimensions_.end() || *found != d) return std::nullopt;
  return static_cast<size_t>(found - dimensions_.begin());
}

bool SimplexTable::solve() {
  for (;;) {
    const std::optional<size_t> row = first_row_below_bound();
    if (!row) return true;
    const std::optional<size_t> column = first_column_that_helps(rows_[*row]);
    if (!column) return false;
    exchange(*row, *column);
  }
}

bool SimplexTable::reaches_minus_one(const LinearForm& form) {
  Rational value = form.constant;
  std::vector<Rational> slopes(columns_.size());  // of its negation, which is maximised
  for (const auto& [d, coefficient] : form.terms) {
    const std::optional<size_t> variable = variable_of(d);
    if (!variable) return true;  // nothing is known about it
    const Rational factor = coefficient;
    value = value + factor * values_[*variable];
    const auto outside = std::find(columns_.begin(), columns_.end(), *variable);
    if (outside != columns_.end()) {
      Rational& slope = slopes[static_cast<size_t>(outside - columns_.begin())];
      slope = slope - factor;
      continue;
    }
    const auto& row =
        rows_[static_cast<size_t>(std::find(basis_.begin(), basis_.end(), *variable) - basis_.begin())];
    for (size_t j = 0; j < row.size(); ++j)
      if (!row[j].is_zero()) slopes[j] = slopes[j] - factor * row[j];
  }
  while (Rational(-1) < value) {
    const std::optional<size_t> column = first_column_that_helps(slopes);
    if (!column) return false;
    const Rational slope = slopes[*column];
    const std::optional<size_t> row = first_row_to_reach_its_bound(*column, slope.is_positive());
    if (!row) return true;
    value = value - slope * exchange(*row, *column);
    slopes[*column] = Rational();
    for (size_t j = 0; j < slopes.size(); ++j)
      if (!rows_[*row][j].is_zero()) slopes[j] = slopes[j] + slope * rows_[*row][j];
  }
  return true;
}

std::map<Dimension, Rational> SimplexTable::point() const {
  std::map<Dimension, Rational> result;
  for (size_t j = 0; j < dimensions_.size(); ++j)
    result.emplace_hint(result.end(), dimensions_[j], values_[j]);
  return result;
}

std::optional<size_t> SimplexTable::first_row_below_bound() const {
  std::optional<size_t> found;
  for (size_t i = 0; i < rows_.size(); ++i)
    if (!is_dimension(basis_[i]) && (!found || basis_[i] < basis_[*found]) &&
        values_[basis_[i]] < bound(basis_[i]))
      found = i;
  return found;
}

// Which variable outside the basis can be moved such that the sum of the row grows?
std::optional<size_t> SimplexTable::first_column_that_helps(const std::vector<Rational>& row) const {
  std::optional<size_t> found;
  for (size_t j = 0; j < columns_.size(); ++j) {
    const bool helps = row[j].is_positive() || (row[j].is_negative() && is_dimension(columns_[j]));
    if (helps && (!found || columns_[j] < columns_[*found])) found = j;
  }
  return found;
}

std::optional<size_t> SimplexTable::first_row_to_reach_its_bound(size_t column, bool upwards) const {
  std::optional<size_t> found;
  Rational least;
  for (size_t i = 0; i < rows_.size(); ++i) {
    const Rational& speed = rows_[i][column];
    if (is_dimension(basis_[i]) || !(upwards ? speed.is_negative() : speed.is_positive())) continue;
    const Rational distance = (values_[basis_[i]] - bound(basis_[i])) / (upwards ? -speed : speed);
    if (found && (least < distance || (least == distance && basis_[*found] < basis_[i]))) continue;
    found = i;
    least = distance;
  }
  return found;
}

// The basic variable goes to its bound and out of the basis. Returns how far the other one had to move.
Rational SimplexTable::exchange(size_t row, size_t column) {
  const size_t leaving = basis_[row], entering = columns_[column];
  const Rational change = (bound(leaving) - values_[leaving]) / rows_[row][column];
  values_[leaving] = bound(leaving);
  values_[entering] = values_[entering] + change;
  if (!change.is_zero())
    for (size_t i = 0; i < rows_.size(); ++i)
      if (i != row && !rows_[i][column].is_zero())
        values_[basis_[i]] = values_[basis_[i]] + rows_[i][column] * change;
  // leaving = sum + c * entering becomes entering = leaving / c - sum / c.
  const Rational factor = Rational(1) / rows_[row][column];
  for (Rational& coefficient : rows_[row])
    if (!coefficient.is_zero()) coefficient = -(coefficient * factor);
  rows_[row][column] = factor;
  for (size_t i = 0; i < rows_.size(); ++i) {
    if (i == row || rows_[i][column].is_zero()) continue;
    const Rational share = rows_[i][column];
    rows_[i][column] = Rational();
    for (size_t j = 0; j < columns_.size(); ++j)
      if (!rows_[row][j].is_zero()) rows_[i][j] = rows_[i][j] + share * rows_[row][j];
  }
  basis_[row] = entering;
  columns_[column] = leaving;
  return change;
}

}  // namespace fenceline::check
