// SPDX-License-Identifier: GPL-3.0-or-later
#include "ir/analysis/loops.h"

#include <algorithm>

#include "base/graph.h"

namespace fenceline {

Loops::Loops(const Overlay& overlay, ThreadId thread)
    : successors_(overlay.points(thread)), loop_of_(successors_.size(), kNone) {
  for (size_t i = 0; i < successors_.size(); ++i)
    for (size_t slot = 0; slot < overlay.at(thread, Point(i)).next.size(); ++slot)
      successors_[i].push_back(overlay.next(thread, Point(i), slot).value());
  number_from(overlay.program().thread(thread).entry.value());
  divide(successors_, kNone);
}

bool Loops::contains(uint32_t loop, Point point) const {
  for (uint32_t inner = innermost(point); inner != kNone; inner = outer(inner))
    if (inner == loop) return true;
  return false;
}

void Loops::number_from(uint32_t entry) {
  order_.assign(successors_.size(), kNone);
  uint32_t next = 0;
  std::vector<uint32_t> stack{entry};
  while (!stack.empty()) {
    const uint32_t node = stack.back();
    stack.pop_back();
    if (order_[node] != kNone) continue;
    order_[node] = next++;
    for (auto to = successors_[node].rbegin(); to != successors_[node].rend(); ++to) stack.push_back(*to);
  }
}

void Loops::divide(const std::vector<std::vector<uint32_t>>& graph, uint32_t outer) {
  for (const std::vector<uint32_t>& nodes : cyclic_components(graph)) {
    const uint32_t header = *std::min_element(nodes.begin(), nodes.end(),
                                              [&](uint32_t a, uint32_t b) { return order_[a] < order_[b]; });
    const auto loop = static_cast<uint32_t>(loops_.size());
    loops_.push_back({header, outer});
    std::vector<bool> inside(graph.size());
    for (const uint32_t node : nodes) {
      loop_of_[node] = loop;
      inside[node] = true;
    }
    std::vector<std::vector<uint32_t>> inner(graph.size());
    for (const uint32_t node : nodes)
      for (const uint32_t to : graph[node])
        if (inside[to] && to != header) inner[node].push_back(to);
    divide(inner, loop);
  }
}

}  // namespace fenceline
