// SPDX-License-Identifier: GPL-3.0-or-later
#include "sat/acyclic.h"

#include <algorithm>
#include <map>
#include <optional>
#include <queue>
#include <set>
#include <utility>
#include <vector>

#include "base/graph.h"
#include "sat/paths.h"

namespace fenceline::sat {
namespace {

// From here on elimination is compared with other ways.
constexpr size_t kManyEdges = 200;
constexpr uint64_t kAll = UINT64_MAX;

// Calls eliminate(v) for each vertex, first those with the lowest cost(v), which changes meanwhile, and only
// up to that cost.
template <class Cost, class Eliminate>
void eliminate_cheapest(size_t vertices, uint64_t most, const Cost& cost, const Eliminate& eliminate) {
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
    if (price > most) return;
    eliminated[v] = true;
    eliminate(v);
  }
}

// The vertices that have edges, numbered anew, with the edges that are certain as an order.
struct Remainder {
  std::vector<uint32_t> vertices;
  std::optional<StaticOrder> order;  // nothing if the certain edges have a cycle
  BitMatrix steps;
};

template <class Edges, class IsCertain>  // Edges: by vertex, a map from successors
Remainder remainder_of(const Edges& out, const IsCertain& is_certain) {
  constexpr uint32_t kUnused = UINT32_MAX;
  Remainder result;
  std::vector<uint32_t> number(out.size(), kUnused);
  const auto use = [&](uint32_t vertex) {
    if (number[vertex] != kUnused) return;
    number[vertex] = static_cast<uint32_t>(result.vertices.size());
    result.vertices.push_back(vertex);
  };
  for (uint32_t u = 0; u < out.size(); ++u)
    for (const auto& [w, edge] : out[u]) use(u), use(w);
  BitMatrix certain(result.vertices.size());
  result.steps = certain;
  for (uint32_t u = 0; u < out.size(); ++u)
    for (const auto& [w, edge] : out[u])
      (is_certain(edge) ? certain : result.steps).set(number[u], number[w]);
  result.order = StaticOrder::of(certain.closure());
  return result;
}

// Elimination without clauses, to see how many there would be.
class Rehearsal {
 public:
  Rehearsal(Circuit& circuit, const ConditionalGraph& graph)
      : circuit_(circuit), out_(graph.size), in_(graph.size) {
    for (const ConditionalEdge& edge : graph.edges) {
      if (edge.condition == kFalse || edge.from == edge.to) continue;
      bool& certain = out_[edge.from][edge.to];
      certain = certain || edge.condition == kTrue;
      in_[edge.to].insert(edge.from);
    }
  }

  // Up to which cost vertices should be eliminated; what is left then is encoded by paths.
  uint64_t best_limit() {
    uint64_t best = kAll, fewest = kAll, limit = 1;
    constexpr uint64_t kFactor = 4;
    for (; !in_.empty() && clauses_ < fewest; limit *= kFactor) {
      eliminate_up_to(limit);
      const Remainder rest = remainder_of(out_, [](bool certain) { return certain; });
      if (rest.vertices.empty()) return clauses_ < fewest ? kAll : best;
      if (!rest.order) return kAll;
      const uint64_t total =
          clauses_ + Paths(circuit_, *rest.order, rest.steps, Paths::Cycles::kForbidden, {}).clauses();
      if (total < fewest) fewest = total, best = limit;
    }
    return best;
  }

 private:
  void eliminate_up_to(uint64_t most) {
    const auto cost = [&](uint32_t v) { return static_cast<uint64_t>(out_[v].size()) * in_[v].size(); };
    eliminate_cheapest(out_.size(), most, cost, [&](uint32_t v) {
      clauses_ += cost(v);
      for (const uint32_t u : in_[v]) {
        const bool into = out_[u].at(v);
        out_[u].erase(v);
        for (const auto& [w, onward] : out_[v]) {
          if (u == w) continue;
          bool& certain = out_[u][w];
          certain = certain || (into && onward);
          in_[w].insert(u);
        }
      }
      for (const auto& [w, onward] : out_[v]) in_[w].erase(v);
      in_[v].clear();
      out_[v].clear();
    });
  }

  Circuit& circuit_;  // nothing is added
  std::vector<std::map<uint32_t, bool>> out_;
  std::vector<std::set<uint32_t>> in_;
  uint64_t clauses_ = 0;
};

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

  AcyclicFigures run(uint64_t most) {
    eliminate_up_to(most);
    if (most != kAll) follow_paths();
    return figures_;
  }

 private:
  void eliminate_up_to(uint64_t most) {
    eliminate_cheapest(
        out_.size(), most, [&](uint32_t v) { return cost(v); }, [&](uint32_t v) { eliminate(v); });
  }

  // For what is left.
  void follow_paths() {
    const Remainder rest = remainder_of(out_, [](Lit edge) { return edge == kTrue; });
    if (!rest.order) return eliminate_up_to(kAll);
    const uint64_t before = circuit_.solver().clauses();
    Paths(circuit_, *rest.order, rest.steps, Paths::Cycles::kForbidden, [&](size_t from, size_t to) {
      return out_[rest.vertices[from]].at(rest.vertices[to]);
    }).require_acyclic();
    figures_.clauses += circuit_.solver().clauses() - before;
  }

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

AcyclicFigures require_acyclic(Circuit& circuit, const ConditionalGraph& graph) {
  const uint64_t most = graph.edges.size() < kManyEdges ? kAll : best_elimination_limit(circuit, graph);
  return require_acyclic_by(circuit, graph, most);
}

AcyclicFigures require_acyclic_by(Circuit& circuit, const ConditionalGraph& graph, uint64_t most) {
  return Elimination(circuit, graph).run(most);
}

uint64_t best_elimination_limit(Circuit& circuit, const ConditionalGraph& graph) {
  return Rehearsal(circuit, graph).best_limit();
}

}  // namespace fenceline::sat
