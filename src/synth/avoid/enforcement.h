// SPDX-License-Identifier: GPL-3.0-or-later
//
// Which ordering constraints a set of fences enforces: those with a fence on every path from the store to the
// access. Constraints are taken by text: the same store and the same access in several threads of a family,
// or in several calls of a procedure, are one constraint, since a fence in the text is in all of them.
#pragma once

#include <map>
#include <utility>
#include <vector>

#include "engine/labelled_graph.h"
#include "ir/program.h"
#include "synth/places.h"

namespace fenceline {

class Enforcement {
 public:
  // Keeps references: the arguments must outlive this.
  Enforcement(const Program& program, const std::vector<Place>& places)
      : program_(program), places_(places) {}

  // The number of the constraint; equal texts have equal numbers.
  size_t number(const OrderConstraint& constraint);
  size_t size() const { return instances_.size(); }

  // By number: is the constraint enforced with full fences at these places, and those that are there already?
  std::vector<bool> enforced_by(const std::vector<size_t>& fenced) const;

 private:
  bool passable(const OrderConstraint& constraint, const std::vector<std::vector<bool>>& fence_after) const;

  const Program& program_;
  const std::vector<Place>& places_;
  std::map<std::pair<SourcePos, SourcePos>, size_t> numbers_;
  std::vector<std::vector<OrderConstraint>> instances_;  // by number
};

}  // namespace fenceline
