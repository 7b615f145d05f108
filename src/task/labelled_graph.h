// SPDX-License-Identifier: GPL-3.0-or-later
//
// All abstract states of a program and the steps between them, each step with what could prevent it: the
// input of whole-graph fence inference (reference/avoid). Plain data.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "ir/ids.h"

namespace fenceline {

// "The store has reached memory before the access executes": enforced by fences on all paths between them.
struct OrderConstraint {
  ThreadId thread;
  Point store;
  Point access;
  friend auto operator<=>(const OrderConstraint&, const OrderConstraint&) = default;
};

struct LabelledGraph {
  static constexpr uint32_t kUnpreventable = 0;

  struct Edge {
    uint32_t from = 0;
    uint32_t to = 0;
    uint32_t prevent = kUnpreventable;  // index into constraint_sets
  };
  uint32_t states = 0;  // numbered from 0, the initial one
  std::vector<Edge> edges;
  std::vector<std::vector<OrderConstraint>> constraint_sets;  // the one at kUnpreventable is empty
  // Does one constraint of a set prevent the step (the pending stores are all there), or does it take all of
  // them (any of them may be there)?
  bool one_is_enough = true;
  std::vector<uint32_t> errors;  // bad states

  bool complete = false;
  std::string why_not;  // if !complete
};

}  // namespace fenceline
