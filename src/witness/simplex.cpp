// SPDX-License-Identifier: GPL-3.0-or-later
//
// The simplex method in the form of Dutertre and de Moura, A Fast Linear-Arithmetic Solver for DPLL(T) (CAV
// 2006), section 3, for the case that there are lower bounds only. Each form a*x + b >= 0 is a variable
// s = a*x with the bound -b; the dimensions have no bounds. A table says what the basic variables are in
// terms of the others. As long as a basic variable is below its bound, it changes places with one that can
// help it up to there; where none can, its row is the proof that there is no solution: it is a sum of
// variables that are at their bounds already and would have to go below. Always the first variable that will
// do is taken (Bland's rule), so this ends.
//
// A variable that leaves the basis does so at its bound, and a dimension that has entered never has to leave,
// having no bound. So whatever is not in the basis can be moved up, and down only if it is a dimension.
#include "witness/simplex.h"

#include <algorithm>

namespace fenceline {
namespace {

class Table {
 public:
  explicit Table(const std::vector<const LinearForm*>& forms) {
    for (const LinearForm* form : forms)
      for (const auto& [d, coefficient] : form->terms) dimensions_.push_back(d);
    std::sort(dimensions_.begin(), dimensions_.end());
    dimensions_.erase(std::unique(dimensions_.begin(), dimensions_.end()), dimensions_.end());
    columns_.resize(dimensions_.size());
    for (size_t j = 0; j < columns_.size(); ++j) columns_[j] = j;
    values_.resize(dimensions_.size() + forms.size());
    for (size_t i = 0; i < forms.size(); ++i) {
      rows_.emplace_back(columns_.size());
      for (const auto& [d, coefficient] : forms[i]->terms) {
        const auto column = std::lower_bound(dimensions_.begin(), dimensions_.end(), d);
        rows_.back()[static_cast<size_t>(column - dimensions_.begin())] = coefficient;
      }
      bounds_.emplace_back(minus(0, forms[i]->constant));
      basis_.push_back(dimensions_.size() + i);
    }
  }

  bool solve() {
    for (;;) {
      const std::optional<size_t> row = first_row_below_bound();
      if (!row) return true;
      const std::optional<size_t> column = first_column_that_helps(*row);
      if (!column) return false;
      exchange(*row, *column);
    }
  }

  std::map<Dimension, Rational> point() const {
    std::map<Dimension, Rational> result;
    for (size_t j = 0; j < dimensions_.size(); ++j) result[dimensions_[j]] = values_[j];
    return result;
  }

 private:
  // Variables: the dimensions, by their place in dimensions_, and behind them one for each form.
  bool is_dimension(size_t variable) const { return variable < dimensions_.size(); }
  const Rational& bound(size_t variable) const { return bounds_[variable - dimensions_.size()]; }

  std::optional<size_t> first_row_below_bound() const {
    std::optional<size_t> found;
    for (size_t i = 0; i < rows_.size(); ++i)
      if (!is_dimension(basis_[i]) && values_[basis_[i]] < bound(basis_[i]) &&
          (!found || basis_[i] < basis_[*found]))
        found = i;
    return found;
  }

  std::optional<size_t> first_column_that_helps(size_t row) const {
    std::optional<size_t> found;
    for (size_t j = 0; j < columns_.size(); ++j) {
      const Rational& coefficient = rows_[row][j];
      const bool helps =
          coefficient.is_positive() || (coefficient.is_negative() && is_dimension(columns_[j]));
      if (helps && (!found || columns_[j] < columns_[*found])) found = j;
    }
    return found;
  }

  void exchange(size_t row, size_t column) {
    const size_t leaving = basis_[row], entering = columns_[column];
    const Rational change = (bound(leaving) - values_[leaving]) / rows_[row][column];
    values_[leaving] = bound(leaving);
    values_[entering] = values_[entering] + change;
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
  }

  std::vector<Dimension> dimensions_;
  std::vector<std::vector<Rational>> rows_;  // basic variable = sum over the columns
  std::vector<size_t> basis_, columns_;      // the variable of each row, and of each column
  std::vector<Rational> values_;             // by variable
  std::vector<Rational> bounds_;             // by form
};

}  // namespace

std::optional<std::map<Dimension, Rational>> satisfying_point(const std::vector<const LinearForm*>& forms) {
  Table table(forms);
  if (!table.solve()) return std::nullopt;
  return table.point();
}

}  // namespace fenceline
