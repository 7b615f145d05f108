// SPDX-License-Identifier: GPL-3.0-or-later
#include "base/graph.h"

#include <algorithm>

namespace fenceline {

std::vector<std::vector<uint32_t>> cyclic_components(const std::vector<std::vector<uint32_t>>& graph) {
  struct Visit {
    uint32_t node;
    size_t next_edge;
  };
  constexpr uint32_t kUnseen = 0;
  std::vector<uint32_t> number(graph.size(), kUnseen), low(graph.size(), 0);
  std::vector<bool> open(graph.size(), false);
  std::vector<uint32_t> stack;
  std::vector<Visit> visits;
  std::vector<std::vector<uint32_t>> components;
  uint32_t counter = 0;

  for (uint32_t root = 0; root < graph.size(); ++root) {
    if (number[root] != kUnseen) continue;
    visits.push_back({root, 0});
    while (!visits.empty()) {
      const uint32_t node = visits.back().node;
      if (visits.back().next_edge == 0) {
        number[node] = low[node] = ++counter;
        open[node] = true;
        stack.push_back(node);
      }
      if (visits.back().next_edge < graph[node].size()) {
        const uint32_t successor = graph[node][visits.back().next_edge++];
        if (number[successor] == kUnseen)
          visits.push_back({successor, 0});
        else if (open[successor])
          low[node] = std::min(low[node], number[successor]);
        continue;
      }
      visits.pop_back();
      if (!visits.empty()) low[visits.back().node] = std::min(low[visits.back().node], low[node]);
      if (low[node] != number[node]) continue;
      std::vector<uint32_t> component;
      for (bool more = true; more;) {
        component.push_back(stack.back());
        open[stack.back()] = false;
        more = stack.back() != node;
        stack.pop_back();
      }
      const bool self_loop = std::find(graph[node].begin(), graph[node].end(), node) != graph[node].end();
      if (component.size() > 1 || self_loop) components.push_back(std::move(component));
    }
  }
  return components;
}

}  // namespace fenceline
