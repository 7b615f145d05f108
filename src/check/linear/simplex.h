// SPDX-License-Identifier: GPL-3.0-or-later
//
// Are there rationals for which all of these forms are at least zero, and how small can another form become
// for such? A table is made once for the forms, and is then queried many times.
#pragma once

#include <map>
#include <optional>
#include <vector>

#include "check/linear/linear_solver.h"

namespace fenceline::check {

class SimplexTable {
 public:
  explicit SimplexTable(const std::vector<LinearForm>& forms);

  // Are there numbers for which all forms are at least zero? To be called first, and once.
  bool solve();

  // Can the form be -1 or less? Precondition: solve() returned true.
  bool reaches_minus_one(const LinearForm& form);

  // The numbers that the last answer has ended with, one for each dimension of the forms. They satisfy all
  // forms; if the last answer was a yes, and not because the form has no least value, then they are its
  // witness.
  std::map<Dimension, Rational> point() const;

 private:
  // Variables: the dimensions, by their index in dimensions_, and behind them one for each form.
  bool is_dimension(size_t variable) const { return variable < dimensions_.size(); }
  const Rational& bound(size_t variable) const { return bounds_[variable - dimensions_.size()]; }
  std::optional<size_t> variable_of(Dimension d) const;
  std::optional<size_t> first_row_below_bound() const;
  std::optional<size_t> first_column_that_helps(const std::vector<Rational>& row) const;
  std::optional<size_t> first_row_to_reach_its_bound(size_t column, bool upwards) const;
  Rational exchange(size_t row, size_t column);

  std::vector<Dimension> dimensions_;
  std::vector<std::vector<Rational>> rows_;  // basic variable = sum over the columns
  std::vector<size_t> basis_, columns_;      // the variable of each row, and of each column
  std::vector<Rational> values_;             // by variable
  std::vector<Rational> bounds_;             // by form
};

}  // namespace fenceline::check
