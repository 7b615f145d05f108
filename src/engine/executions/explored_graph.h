// SPDX-License-Identifier: GPL-3.0-or-later
//
// A graph while it is explored: with the relations of the model on it, and with the states of its threads, so that events
// are added and removed at its end without looking at the others.
#pragma once

#include <algorithm>
#include <cstddef>
#include <utility>
#include <vector>

#include "engine/executions/graph.h"
#include "engine/executions/model_plan.h"
#include "engine/executions/relations.h"
#include "engine/executions/thread_runner.h"

namespace fenceline::executions {

template <size_t kWords>
struct ExploredGraph {
  using Set = Bits<kWords>;
  using Event = GraphEvent<kWords>;
  using State = ThreadState<kWords>;

  Graph<kWords> graph;
  Relations<kWords> relations;
  std::vector<std::vector<State>> states;  // by thread: before each of its events, and behind the last

  ExploredGraph(size_t threads, size_t cells, const ModelPlan& plan)
      : graph(threads, cells), relations(plan), states(threads) {}

  const State& last(ThreadId thread) const { return states[thread.index()].back(); }
  bool all_ended() const {
    return std::all_of(states.begin(), states.end(),
                       [](const auto& of_thread) { return of_thread.back().next == NextStep::kEnded; });
  }
  bool some_failed() const {
    return std::any_of(states.begin(), states.end(),
                       [](const auto& of_thread) { return of_thread.back().next == NextStep::kFailed; });
  }

  // Adds an event, but no state behind it; `place` as in Graph::add. False: the model does not allow it. In either case
  // remove_last() undoes it.
  bool add(Event event, size_t place) {
    graph.add(std::move(event), place);
    return relations.add(graph);
  }
  bool add_revisited(Event event) {  // a read, which keeps its time
    graph.add_revisited(std::move(event), 0);
    return relations.add(graph);
  }
  void remove_last() {
    relations.remove_last();
    graph.remove_last();
  }

  // What is left of an allowed graph if only `kept`, which is closed under po and rf, is kept.
  void assign_restricted(const ExploredGraph& from, const Set& kept) {
    graph.assign_restricted(from.graph, kept);
    relations.assign_allowed(graph);
    relations.set_unflagged((kept & Set::first(from.relations.unflagged())).size());
    for (size_t t = 0; t < states.size(); ++t) {
      const std::vector<State>& all = from.states[t];
      states[t].assign(all.begin(), all.begin() + states_in(graph, t));
    }
  }

  // The states of the threads in a graph that has only some of the events.
  std::vector<std::vector<State>> states_of(const Graph<kWords>& part) const {
    std::vector<std::vector<State>> result;
    for (size_t t = 0; t < states.size(); ++t)
      result.emplace_back(states[t].begin(), states[t].begin() + states_in(part, t));
    return result;
  }

 private:
  static std::ptrdiff_t states_in(const Graph<kWords>& part, size_t thread) {
    return static_cast<std::ptrdiff_t>(part.of_thread(ThreadId(thread)).size()) + 1;
  }
};

}  // namespace fenceline::executions
