// SPDX-License-Identifier: GPL-3.0-or-later
//
// Linear expressions and constraints over numbered dimensions: input and output of the
// numerical domains. Coefficients are 64-bit; an operation whose result does not fit has no result, and the
// caller then treats the value as arbitrary. That is sound, and it does not happen in real programs.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "base/numbers.h"

namespace fenceline {

using Dimension = uint32_t;

// constant + sum of coefficient * dimension.
struct Linear {
  Value constant = 0;
  std::map<Dimension, Value> terms;  // no coefficient is 0

  static Linear of(Value constant) { return {constant, {}}; }
  static Linear dimension(Dimension d) { return {0, {{d, 1}}}; }

  bool is_constant() const { return terms.empty(); }
  // The dimension that it is, if it is just one.
  std::optional<Dimension> as_dimension() const;

  friend bool operator==(const Linear&, const Linear&) = default;
  friend auto operator<=>(const Linear&, const Linear&) = default;
};

// None: a coefficient or the constant would not fit.
std::optional<Linear> sum(const Linear& a, const Linear& b);
std::optional<Linear> difference(const Linear& a, const Linear& b);
std::optional<Linear> scaled(const Linear& a, Value factor);

// expression >= 0, or == 0. All values are integers: a < b is b - a - 1 >= 0.
struct LinearConstraint {
  Linear expression;
  bool equality = false;

  friend bool operator==(const LinearConstraint&, const LinearConstraint&) = default;
  friend auto operator<=>(const LinearConstraint&, const LinearConstraint&) = default;
};

// "2*d0 - d3 + 1 >= 0", with the names that `name` gives to dimensions.
std::string to_string(const LinearConstraint& constraint, const std::vector<std::string>& names);

}  // namespace fenceline
