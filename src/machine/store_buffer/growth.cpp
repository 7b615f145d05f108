// SPDX-License-Identifier: GPL-3.0-or-later
#include "machine/store_buffer/growth.h"

#include <algorithm>

#include "base/graph.h"

namespace fenceline::machine {
namespace {

bool empties_buffer(const Operation& op, Buffering buffering) {
  if (op.kind == InstrKind::kFence)
    return op.fence == FenceEffect::kDrain || op.fence == FenceEffect::kDrainAll;
  return op.kind == InstrKind::kRmw && buffering == Buffering::kPerThread;
}

}  // namespace

std::optional<Growth> find_growth(const Code& code) {
  if (code.buffering() == Buffering::kUnbuffered) return std::nullopt;
  for (size_t t = 0; t < code.threads(); ++t) {
    std::vector<std::vector<uint32_t>> graph(code.points(t));
    for (uint32_t p = 0; p < graph.size(); ++p) {
      const Operation& op = code.at(t, p);
      if (empties_buffer(op, code.buffering())) continue;
      for (const Point next : op.next) graph[p].push_back(next.value());
    }
    for (std::vector<uint32_t>& component : cyclic_components(graph)) {
      std::sort(component.begin(), component.end());
      for (const uint32_t p : component)
        if (code.at(t, p).kind == InstrKind::kStore) return Growth{ThreadId(t), Point(p)};
    }
  }
  return std::nullopt;
}

}  // namespace fenceline::machine
