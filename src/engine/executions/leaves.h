// SPDX-License-Identifier: GPL-3.0-or-later
//
// Graphs at which the exploration ends, as visitors see them.
#pragma once

#include <utility>
#include <vector>

#include "engine/executions/exploration.h"
#include "engine/executions/explored_graph.h"
#include "engine/executions/graph_execution.h"
#include "engine/executions/next_events.h"
#include "engine/executions/solo_run.h"
#include "ir/program.h"

namespace fenceline::executions {

// The leaf refers to the graph and to `events`. It has no flags yet.
template <size_t kWords>
Leaf leaf_at(const ExploredGraph<kWords>& node, LeafKind kind, const Program& program,
             const NextEvents<kWords>& events) {
  Leaf leaf;
  leaf.kind = kind;
  const size_t cells = program.cell_count;
  leaf.execution = [&node, cells] { return execution_of(node.graph, node.states, cells); };
  leaf.cell = [&node, &events](CellId cell) { return events.last_value(node, cell); };
  leaf.reg = [&node](ThreadId thread, RegId reg) { return node.last(thread).registers[reg.index()]; };
  leaf.location = [&node](ThreadId thread) { return node.last(thread).location; };
  leaf.ended = [&node](ThreadId thread) { return node.last(thread).next == NextStep::kEnded; };
  leaf.waits = [&node, &events, cells](const ThreadCode& alone, const RetriedWaits& retried,
                                       ThreadId thread) {
    std::vector<Value> memory;
    for (size_t cell = 0; cell < cells; ++cell) memory.push_back(events.last_value(node, CellId(cell)));
    // What a thread did in an atomic section that it does not end has not happened.
    const ThreadState<kWords>& last = node.last(thread);
    if (last.in_section && last.section_wrote) return Waits::kUndecided;
    const ThreadState<kWords>& from =
        last.in_section ? node.states[thread.index()][last.section_events] : last;
    return SoloRun<kWords>(alone, retried, thread).waits(from, std::move(memory));
  };
  return leaf;
}

// The events of the graph that have happened: not those of atomic sections that do not end, and not half of a
// read-modify-write.
template <size_t kWords>
Bits<kWords> happened(const ExploredGraph<kWords>& node) {
  Bits<kWords> result = Bits<kWords>::first(node.graph.size());
  for (size_t t = 0; t < node.states.size(); ++t) {
    const std::vector<uint32_t>& own = node.graph.of_thread(ThreadId(t));
    for (size_t i = happened_events(node.states[t]); i < own.size(); ++i) result.remove(own[i]);
  }
  return result;
}

}  // namespace fenceline::executions
