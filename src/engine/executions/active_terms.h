// SPDX-License-Identifier: GPL-3.0-or-later
//
// Which terms of a model a new event can be in, by what is known of it before anything is evaluated: a read is at the
// end of no coherence edge, and a relaxed access at no end of a relation between seq_cst ones. With rc11 that spares most
// events most terms.
#pragma once

#include <cstdint>
#include <vector>

#include "engine/executions/graph.h"
#include "engine/executions/model_plan.h"

namespace fenceline::executions {

struct EventShape {
  uint64_t sets = 0;
  GraphEventKind kind = GraphEventKind::kRead;
  bool initial = false;
  bool of_rmw = false;

  template <size_t kWords>
  static EventShape of(const GraphEvent<kWords>& event) {
    return {event.sets, event.kind, event.initial(), event.of_rmw};
  }
  friend bool operator==(const EventShape&, const EventShape&) = default;
};

// Of those that axioms need.
struct ActiveTerms {
  EventShape shape;
  std::vector<uint32_t> members;  // base sets that the event is a member of
  std::vector<uint32_t> empty;    // relations in which nothing is before the event
  // By term: must be evaluated, even if its operands have gained nothing but pairs that end in the event.
  std::vector<uint8_t> evaluated;

  ActiveTerms(const ModelPlan& plan, const EventShape& shape);
};

}  // namespace fenceline::executions
