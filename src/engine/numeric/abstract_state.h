// SPDX-License-Identifier: GPL-3.0-or-later
//
// Many states of the machine at once: program counters, terms, buffers of terms, and an abstract element for
// the dimensions that the terms name. Terms are never changed in place. A load copies the term of its cell, a
// store puts one into the buffer, a flush moves it to memory, all without touching the numerical domain; only
// conditions and arithmetic do. Two variables may share a dimension.
#pragma once

#include <optional>
#include <vector>

#include "domain/numeric/abstract_element.h"
#include "ir/ids.h"
#include "task/numeric_certificate.h"

namespace fenceline::numeric {

struct AbstractState {
  explicit AbstractState(NumericDomain domain) : element(domain) {}

  std::vector<Point> locations;                                    // by thread
  std::vector<std::optional<NumericTerm>> memory;                  // by cell; none: smashed
  std::vector<std::vector<std::optional<NumericTerm>>> registers;  // by thread; none: dead
  std::vector<NumericBuffer> buffers;                              // by thread
  AbstractElement element;
  // All states that it represents are reachable, as far as integers and rational numbers agree: nothing was
  // joined, widened, smashed or summarised before.
  bool exact = true;
};

inline Linear linear_of(const NumericTerm& term) {
  return std::holds_alternative<Value>(term.what) ? Linear::of(std::get<Value>(term.what))
                                                  : Linear::dimension(std::get<Dimension>(term.what));
}

// The value of the expression as a term: itself if it is a value or a dimension, else a new dimension.
NumericTerm term_of(const Linear& value, AbstractElement& element);

}  // namespace fenceline::numeric
