// SPDX-License-Identifier: GPL-3.0-or-later
//
// Which reads a write may revisit. All that was added after the read, and is not in the prefix of the write, is deleted
// then. Many graphs lead to the same one by a revisit; so that it is met once, only that one may do it to which no choice
// has led: each deleted event, and the read, must have been added maximally.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "engine/executions/graph.h"
#include "env/errors.h"

namespace fenceline::executions {

// Is the event what would have been added without a choice, if only what was there before it, and `prefix`, is there?
template <size_t kWords>
bool added_maximally(const Graph<kWords>& graph, size_t e, const Bits<kWords>& prefix) {
  const GraphEvent<kWords>& event = graph.event(e);
  const auto previous = [&](size_t other) {
    return graph.event(other).time <= event.time || prefix.has(other);
  };
  const auto last_of_previous = [&](uint32_t write) {
    const std::vector<uint32_t>& order = graph.coherence(event.cell);
    for (size_t i = order.size(); order[i - 1] != write; --i)
      if (previous(order[i - 1])) return false;
    return true;
  };
  switch (event.kind) {
    case GraphEventKind::kRead:
      return event.alternative.is_first && previous(event.source) && last_of_previous(event.source);
    case GraphEventKind::kWrite: {
      bool read = false;
      graph.readers(e).for_each([&](size_t reader) { read = read || previous(reader); });
      return !read && last_of_previous(static_cast<uint32_t>(e));
    }
    case GraphEventKind::kFence:
      return true;
    case GraphEventKind::kChoice:
      return event.maximal;
  }
  throw Bug("an event without a kind");
}

// The reads of the cell that are not in the prefix of a write to it.
template <size_t kWords>
Bits<kWords> reads_outside(const Graph<kWords>& graph, CellId cell, const Bits<kWords>& prefix) {
  Bits<kWords> result;
  graph.accesses(cell).minus(prefix).for_each([&](size_t e) {
    if (graph.event(e).kind == GraphEventKind::kRead) result.add(e);
  });
  return result;
}

// What is left of the graph if a write with this prefix, which is about to be added, revisits the read r, before both are
// added again. None: another graph leads there. Precondition: r is not in the prefix.
template <size_t kWords>
std::optional<Bits<kWords>> kept_by_revisit(const Graph<kWords>& graph, uint32_t r,
                                            const Bits<kWords>& prefix) {
  if (!added_maximally(graph, r, prefix)) return std::nullopt;
  Bits<kWords> kept = prefix;
  for (size_t e = 0; e < graph.size(); ++e) {
    if (prefix.has(e)) continue;
    if (graph.event(e).time < graph.event(r).time)
      kept.add(e);
    else if (e != r && !added_maximally(graph, e, prefix))
      return std::nullopt;
  }
  return kept;
}

}  // namespace fenceline::executions
