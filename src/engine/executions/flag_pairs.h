// SPDX-License-Identifier: GPL-3.0-or-later
//
// Which two events can raise a flag of the model together, by what is known of them beforehand: two atomic accesses are
// no race, whatever happens before what. Most rows of the terms of flags need not be evaluated then.
#pragma once

#include <cstddef>
#include <vector>

#include "engine/executions/active_terms.h"
#include "engine/executions/model_plan.h"

namespace fenceline::executions {

class FlagPairs {
 public:
  // Keeps a reference. Precondition for all that follows: the plan's flags are about pairs.
  explicit FlagPairs(const ModelPlan& plan);

  // The number of a shape, from 0.
  size_t number_of(const EventShape& shape);
  // False: no two events of these shapes that access the same cell raise a flag.
  bool may_raise(size_t shape, size_t other) const { return may_raise_[shape][other]; }
  // Two events raise a flag only if they access the same cell.
  bool of_one_cell() const { return of_one_cell_; }

 private:
  enum class Truth : uint8_t { kFalse, kUnknown, kTrue };

  // Null: any shape.
  Truth holds(uint32_t term, const EventShape* first, const EventShape* second, bool same_cell) const;
  bool any_flag(const EventShape* first, const EventShape* second, bool same_cell) const;

  const ModelPlan& plan_;
  std::vector<EventShape> shapes_;
  std::vector<std::vector<bool>> may_raise_;
  bool of_one_cell_ = false;
};

}  // namespace fenceline::executions
