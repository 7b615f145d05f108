// SPDX-License-Identifier: GPL-3.0-or-later
//
// A strict order of events that is known before anything is solved, such as program order: two events that
// are executed have it, whatever else happens. It is kept by its covering pairs, those with nothing between
// them: of n events in a row there are n - 1 of these, and n² / 2 pairs.
//
// A path over covering pairs may pass events that are not executed. Where it begins and ends at events that
// are executed, these two are a pair of the order; so code that needs executed events only may follow the
// covering pairs without asking which of the events between are.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "sat/bit_matrix.h"

namespace fenceline::sat {

class StaticOrder {
 public:
  // Nothing if the pairs (the identity does not count) are no order: with a cycle, or not transitive.
  static std::optional<StaticOrder> of(const BitMatrix& pairs);
  // An order that consists of some of the pairs, many if possible.
  static StaticOrder within(const BitMatrix& pairs);

  bool before(size_t x, size_t y) const { return before_.at(x, y); }
  const BitMatrix& pairs() const { return before_; }
  // The events that cover x, and those that x covers.
  const std::vector<uint32_t>& successors(size_t x) const { return successors_[x]; }
  const std::vector<uint32_t>& predecessors(size_t x) const { return predecessors_[x]; }
  // All events, each after those before it.
  const std::vector<uint32_t>& sorted() const { return sorted_; }

 private:
  explicit StaticOrder(BitMatrix before);

  BitMatrix before_;
  std::vector<std::vector<uint32_t>> successors_, predecessors_;
  std::vector<uint32_t> sorted_;
};

}  // namespace fenceline::sat
