// SPDX-License-Identifier: GPL-3.0-or-later
//
// A graph as an execution: what distinguishes it from others, and the form in which other code checks and shows it.
#pragma once

#include <algorithm>
#include <cstdint>
#include <utility>
#include <vector>

#include "engine/executions/graph.h"
#include "engine/executions/thread_runner.h"
#include "task/execution.h"

namespace fenceline::executions {

// Where reads read, the order of writes, and choices: these distinguish complete executions. Events are named by their
// threads and their places there, so the order in which they were added does not matter.
template <size_t kWords>
uint64_t fingerprint(const Graph<kWords>& graph) {
  const auto mix = [](uint64_t hash, uint64_t value) {
    hash ^= value + 0x9e3779b97f4a7c15 + (hash << 6) + (hash >> 2);
    hash *= 0xff51afd7ed558ccd;
    return hash ^ (hash >> 33);
  };
  const auto name = [&](size_t e) -> uint64_t {
    const GraphEvent<kWords>& event = graph.event(e);
    return event.initial() ? 0 : (uint64_t{event.thread.index()} + 1) << 32 | event.index;
  };
  uint64_t sum = 0;
  for (size_t e = 0; e < graph.size(); ++e) {
    const GraphEvent<kWords>& event = graph.event(e);
    uint64_t hash = mix(name(e), static_cast<uint64_t>(event.value));
    if (event.kind == GraphEventKind::kRead)
      hash = mix(mix(hash, name(event.source)), event.alternative.number);
    if (event.kind == GraphEventKind::kWrite && !event.initial()) {
      const std::vector<uint32_t>& order = graph.coherence(event.cell);
      const auto at = std::find(order.begin(), order.end(), static_cast<uint32_t>(e));
      hash = mix(hash, name(*(at - 1)));
    }
    if (!event.initial()) sum += mix(hash, 1);
  }
  return mix(sum, 2);
}

// What a thread did in an atomic section that it does not end has not happened, unless it fails there.
template <size_t kWords>
bool is_before_section(const ThreadState<kWords>& state) {
  return state.in_section && state.next != NextStep::kFailed;
}

// How many events of the thread have happened. The read of a read-modify-write has not without its write: a thread that is
// revisited by the last write of one that fails is there.
template <size_t kWords>
size_t happened_events(const std::vector<ThreadState<kWords>>& states) {
  const ThreadState<kWords>& last = states.back();
  if (is_before_section(last)) return last.section_events;
  const bool inside_rmw = last.next == NextStep::kWrite && last.of_rmw;
  return states.size() - (inside_rmw ? 2 : 1);
}

// The execution as other code knows it. `states` are those of each thread, the last one at the end.
template <size_t kWords>
Execution execution_of(const Graph<kWords>& graph,
                       const std::vector<std::vector<ThreadState<kWords>>>& states, size_t cells) {
  Execution result;
  std::vector<EventId> number(graph.size());
  std::vector<uint32_t> initial;
  graph.initial_writes().for_each([&](size_t e) { initial.push_back(static_cast<uint32_t>(e)); });
  std::sort(initial.begin(), initial.end(),
            [&](uint32_t a, uint32_t b) { return graph.event(a).cell < graph.event(b).cell; });
  const auto add = [&](size_t e, EventKind kind) {
    const GraphEvent<kWords>& event = graph.event(e);
    number[e] = EventId(result.events.size());
    result.events.push_back({kind, event.thread, event.point, event.position, event.cell, event.value});
  };
  for (const uint32_t e : initial) add(e, EventKind::kWrite);
  for (size_t t = 0; t < states.size(); ++t) {
    const ThreadId thread(t);
    std::vector<Value> choices;
    const ThreadState<kWords>& state = states[t].back();
    const size_t happened = happened_events(states[t]);
    for (size_t i = 0; i < happened; ++i) {
      const uint32_t e = graph.of_thread(thread)[i];
      switch (graph.event(e).kind) {
        case GraphEventKind::kRead:
          if (const GraphAlternative& alternative = graph.event(e).alternative; alternative.is_chosen())
            choices.push_back(alternative.number);
          add(e, EventKind::kRead);
          break;
        case GraphEventKind::kWrite:
          add(e, EventKind::kWrite);
          break;
        case GraphEventKind::kFence:
          add(e, EventKind::kFence);
          break;
        case GraphEventKind::kChoice:
          choices.push_back(graph.event(e).value);
          break;
      }
    }
    result.choices.push_back(std::move(choices));
    result.locations.push_back(is_before_section(state) ? state.section_begin : states[t][happened].location);
  }
  result.reads_from.resize(result.events.size());
  for (size_t e = 0; e < graph.size(); ++e)
    if (graph.event(e).kind == GraphEventKind::kRead && number[e].valid())
      result.reads_from[number[e].index()] = number[graph.event(e).source];
  result.coherence.resize(cells);
  for (const uint32_t first : initial) {
    const CellId cell = graph.event(first).cell;
    for (const uint32_t write : graph.coherence(cell))
      if (number[write].valid()) result.coherence[cell.index()].push_back(number[write]);
  }
  return result;
}

}  // namespace fenceline::executions
