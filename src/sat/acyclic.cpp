// SPDX-License-Identifier: GPL-3.0-or-later
#include "sat/acyclic.h"

#include <algorithm>
#include <map>
#include <queue>
#include <set>
#include <utility>
#include <vector>

#include "base/graph.h"

namespace fenceline::sat {
namespace {

// Calls eliminate(v) for each vertex: first those with the lowest cost(v), which changes meanwhile.
template <class Cost, class Eliminate>
void eliminate_all(size_t vertices, const Cost& cost, const Eliminate& eliminate) {
  using Entry = std::pair<uint64_t, uint32_t>;
  std::priority_queue<Entry, std::vector<Entry>, std::greater<>> queue;
  for (uint32_t v = 0; v < vertices; ++v) queue.push({cost(v), v});
  std::vector<bool> eliminated(vertices);
  while (!queue.empty()) {
    const auto [price, v] = queue.top();
    queue.pop();
    if (eliminated[v]) continue;
    if (price != cost(v)) {
      queue.push({cost(v), v});
      continue;
    }
    eliminated[v] = true;
    eliminate(v);
  }
}

class Elimination {
 public:
  Elimination(Circuit& circuit, const ConditionalGraph& graph)
      : circuit_(circuit), out_(graph.size), in_(graph.size) {
    for (const ConditionalEdge& edge : graph.edges) {
      if (edge.condition == kFalse) continue;
      if (edge.from == edge.to) {
        circuit_.require({!edge.condition});
        continue;
      }
      const auto [entry, is_new] = out_[edge.from].emplace(edge.to, edge.condition);
      if (!is_new) entry->second = circuit_.either(entry->second, edge.condition);
      in_[edge.to].insert(edge.from);
    }
    figures_.vertices = graph.size;
    for (const auto& row : out_) figures_.edges += row.size();
  }

  AcyclicFigures run() {
    eliminate_all(
        out_.size(), [&](uint32_t v) { return cost(v); }, [&](uint32_t v) { eliminate(v); });
    return figures_;
  }

 private:
  uint64_t cost(uint32_t v) const { return static_cast<uint64_t>(out_[v].size()) * in_[v].size(); }

  void eliminate(uint32_t v) {
    for (const uint32_t u : in_[v]) {
      const Lit into = out_[u].at(v);
      for (const auto& [w, onward] : out_[v]) {
        ++figures_.clauses;
        if (u == w)
          circuit_.require({!into, !onward});
        else
          join(u, w, into, onward);
      }
    }
    for (const uint32_t u : in_[v]) out_[u].erase(v);
    for (const auto& [w, onward] : out_[v]) in_[w].erase(v);
    in_[v].clear();
    out_[v].clear();
  }

  // Edges into v and out of v make one from u to w. An edge that was there from the start has a meaning of
  // its own (a read reads from a write), so it must not follow from this; the joint edge is a new literal.
  void join(uint32_t u, uint32_t w, Lit into, Lit onward) {
    const auto found = out_[u].find(w);
    if (found == out_[u].end()) {
      const Lit edge = into == kTrue ? onward : onward == kTrue ? into : circuit_.fresh();
      if (edge != onward && edge != into) {
        circuit_.implies(into, onward, edge);
        ours_.insert(edge.code);
        ++figures_.added_edges;
      } else {
        ours_.erase(edge.code);  // it now represents two edges
      }
      out_[u].emplace(w, edge);
      in_[w].insert(u);
      return;
    }
    if (found->second == kTrue || found->second == into || found->second == onward) return;
    if (into == kTrue && onward == kTrue) {
      found->second = kTrue;
      return;
    }
    if (!ours_.contains(found->second.code)) {
      const Lit edge = circuit_.fresh();
      circuit_.implies(found->second, edge);
      ours_.insert(edge.code);
      ++figures_.added_edges;
      found->second = edge;
    }
    circuit_.implies(into, onward, found->second);
  }

  Circuit& circuit_;
  std::vector<std::map<uint32_t, Lit>> out_;
  std::vector<std::set<uint32_t>> in_;
  std::set<int32_t> ours_;  // literals made here, each for one edge
  AcyclicFigures figures_;
};

}  // namespace

void ConditionalGraph::keep_cycles() {
  std::vector<std::vector<uint32_t>> successors(size);
  for (const ConditionalEdge& edge : edges)
    if (edge.condition != kFalse) successors[edge.from].push_back(edge.to);
  std::vector<uint32_t> component(size, 0);
  uint32_t number = 0;
  for (const std::vector<uint32_t>& nodes : cyclic_components(successors)) {
    ++number;
    for (const uint32_t node : nodes) component[node] = number;
  }
  std::erase_if(edges, [&](const ConditionalEdge& edge) {
    return edge.condition == kFalse || component[edge.from] == 0 ||
           component[edge.from] != component[edge.to];
  });
}

uint64_t clauses_for_elimination(const ConditionalGraph& graph) {
  std::vector<std::set<uint32_t>> out(graph.size), in(graph.size);
  for (const ConditionalEdge& edge : graph.edges) {
    if (edge.condition == kFalse || edge.from == edge.to) continue;
    out[edge.from].insert(edge.to);
    in[edge.to].insert(edge.from);
  }
  uint64_t clauses = 0;
  const auto cost = [&](uint32_t v) { return static_cast<uint64_t>(out[v].size()) * in[v].size(); };
  eliminate_all(graph.size, cost, [&](uint32_t v) {
    clauses += cost(v);
    for (const uint32_t u : in[v]) out[u].erase(v);
    for (const uint32_t w : out[v]) in[w].erase(v);
    for (const uint32_t u : in[v])
      for (const uint32_t w : out[v]) {
        if (u == w) continue;
        out[u].insert(w);
        in[w].insert(u);
      }
  });
  return clauses;
}

AcyclicFigures require_acyclic(Circuit& circuit, const ConditionalGraph& graph) {
  return Elimination(circuit, graph).run();
}

}  // namespace fenceline::sat
