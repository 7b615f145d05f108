// SPDX-License-Identifier: GPL-3.0-or-later
#include "engine/sat/solution.h"

#include <algorithm>

#include "env/errors.h"

namespace fenceline::sat {

Solution::Solution(Formula& formula) : formula_(formula) {
  read_events();
  read_paths();
}

void Solution::read_events() {
  const Solver& solver = formula_.solver();
  const std::vector<SymbolicEvent>& all = formula_.events().all();
  for (size_t i = 0; i < all.size(); ++i) {
    if (!solver.value(all[i].executed)) continue;
    SolvedEvent event;
    event.number = i;
    for (const auto& [cell, here] : all[i].cells)
      if (solver.value(here)) event.cell = cell;
    if (all[i].kind != EventKind::kFence) event.value = number(solver, all[i].value.bits);
    events_.push_back(event);
  }
  for (const auto& [pair, waited] : formula_.events().waited())
    if (solver.value(waited)) waited_.insert(pair);
  source_.resize(events_.size());
  rank_.resize(events_.size());
  co_.resize(formula_.overlay().program().cell_count);
  for (size_t x = 0; x < events_.size(); ++x) {
    const SymbolicEvent& event = all[events_[x].number];
    if (event.kind == EventKind::kWrite) co_[events_[x].cell.index()].push_back(x);
    for (size_t write = 0; event.kind == EventKind::kRead && write < events_.size(); ++write)
      if (solver.value(formula_.events().reads_from(events_[write].number, events_[x].number)))
        source_[x] = write;
  }
  for (std::vector<size_t>& writes : co_) {
    std::sort(writes.begin(), writes.end(), [&](size_t a, size_t b) {
      return solver.value(formula_.events().coherence(events_[a].number, events_[b].number));
    });
    for (size_t rank = 0; rank < writes.size(); ++rank) rank_[writes[rank]] = rank;
  }
}

void Solution::read_paths() {
  const Solver& solver = formula_.solver();
  const std::vector<Unfolding::Node>& nodes = formula_.unfolding().nodes();
  std::vector<std::vector<size_t>> events_at(nodes.size());
  for (size_t i = 0; i < events_.size(); ++i) {
    const uint32_t node = formula_.events().all()[events_[i].number].node;
    if (node != Unfolding::kNone) events_at[node].push_back(i);
  }
  std::vector<std::optional<Value>> chosen(nodes.size());
  for (const auto& [node, value] : formula_.threads().havocs) chosen[node] = number(solver, value.bits);
  for (size_t thread = 0; thread < formula_.threads().stops.size(); ++thread) {
    Path path;
    const auto& stops = formula_.threads().stops[thread];
    for (uint32_t node = formula_.unfolding().entries()[thread];;) {
      const auto stop = std::find_if(stops.begin(), stops.end(), [&](const Stop& candidate) {
        return candidate.node == node && solver.value(candidate.here);
      });
      if (stop != stops.end()) {
        path.stop = node;
        path.reason = stop->reason;
        if (stop->reason == StopReason::kError) {
          path.at_stop = events_at[node];
          path.chosen = chosen[node];
        }
        break;
      }
      Step step;
      step.node = node;
      step.events = events_at[node];
      step.chosen = chosen[node];
      const std::vector<Lit>& taken = formula_.threads().taken[node];
      while (step.slot < taken.size() && !solver.value(taken[step.slot])) ++step.slot;
      require(step.slot < taken.size(), "a thread in an execution neither goes on nor stops");
      const Instruction& instruction = formula_.overlay().at(nodes[node].thread, nodes[node].point);
      if (instruction.kind == InstrKind::kChoose) step.chosen = static_cast<Value>(step.slot);
      path.steps.push_back(std::move(step));
      node = nodes[node].out[path.steps.back().slot];
    }
    paths_.push_back(std::move(path));
  }
}

bool Solution::reads_from(size_t write, size_t read) const { return source_[read] == write; }

bool Solution::coherence(size_t first, size_t second) const {
  return events_[first].cell == events_[second].cell && rank_[first] < rank_[second];
}

Execution Solution::execution() const {
  const std::vector<SymbolicEvent>& all = formula_.events().all();
  const std::vector<Unfolding::Node>& nodes = formula_.unfolding().nodes();
  Execution execution;
  std::vector<EventId> id(events_.size());
  const auto add = [&](size_t event, Point point, uint32_t position) {
    const SymbolicEvent& symbolic = all[events_[event].number];
    id[event] = EventId(execution.events.size());
    execution.events.push_back(
        {symbolic.kind, symbolic.thread, point, position, events_[event].cell, events_[event].value});
  };
  for (size_t write = 0; write < formula_.events().first_of_threads(); ++write) add(write, Point(), 0);
  for (const Path& path : paths_) {
    std::vector<Value>& choices = execution.choices.emplace_back();
    uint32_t position = 0;
    for (const Step& step : path.steps) {
      for (const size_t event : step.events) add(event, nodes[step.node].point, position);
      if (step.chosen) choices.push_back(*step.chosen);
      ++position;
    }
    for (const size_t event : path.at_stop) add(event, nodes[path.stop].point, position);
    if (path.chosen) choices.push_back(*path.chosen);
    execution.locations.push_back(nodes[path.stop].point);
  }
  execution.reads_from.resize(execution.events.size());
  for (size_t event = 0; event < events_.size(); ++event)
    if (id[event].valid() && all[events_[event].number].kind == EventKind::kRead)
      execution.reads_from[id[event].index()] = id[source_[event]];
  for (const std::vector<size_t>& writes : co_) {
    std::vector<EventId>& order = execution.coherence.emplace_back();
    for (const size_t write : writes)
      if (id[write].valid()) order.push_back(id[write]);
  }
  return execution;
}

}  // namespace fenceline::sat
