// SPDX-License-Identifier: GPL-3.0-or-later
#include "base/linear.h"

#include <fmt/format.h>

namespace fenceline {
namespace {

// a + factor * b.
std::optional<Linear> combined(const Linear& a, const Linear& b, Value factor) {
  Linear result = a;
  const auto add = [factor](Value& to, Value what) {
    Value product = 0;
    return !__builtin_mul_overflow(what, factor, &product) && !__builtin_add_overflow(to, product, &to);
  };
  if (!add(result.constant, b.constant)) return std::nullopt;
  for (const auto& [dimension, coefficient] : b.terms) {
    Value& slot = result.terms[dimension];
    if (!add(slot, coefficient)) return std::nullopt;
    if (slot == 0) result.terms.erase(dimension);
  }
  return result;
}

}  // namespace

std::optional<Dimension> Linear::as_dimension() const {
  if (constant != 0 || terms.size() != 1 || terms.begin()->second != 1) return std::nullopt;
  return terms.begin()->first;
}

std::optional<Linear> sum(const Linear& a, const Linear& b) { return combined(a, b, 1); }
std::optional<Linear> difference(const Linear& a, const Linear& b) { return combined(a, b, -1); }
std::optional<Linear> scaled(const Linear& a, Value factor) { return combined(Linear(), a, factor); }

std::string to_string(const LinearConstraint& constraint, const std::vector<std::string>& names) {
  std::string text;
  for (const auto& [dimension, coefficient] : constraint.expression.terms) {
    const std::string sign = coefficient < 0 ? (text.empty() ? "-" : " - ") : (text.empty() ? "" : " + ");
    const uint64_t size =
        coefficient < 0 ? 0 - static_cast<uint64_t>(coefficient) : static_cast<uint64_t>(coefficient);
    text += sign + (size == 1 ? "" : fmt::format("{}*", size)) + names[dimension];
  }
  const Value constant = constraint.expression.constant;
  if (text.empty()) {
    text = fmt::format("{}", constant);
  } else if (constant != 0) {
    text += fmt::format(" {} {}", constant < 0 ? '-' : '+',
                        constant < 0 ? 0 - static_cast<uint64_t>(constant) : static_cast<uint64_t>(constant));
  }
  return text + (constraint.equality ? " == 0" : " >= 0");
}

}  // namespace fenceline
