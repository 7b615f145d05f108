// SPDX-License-Identifier: GPL-3.0-or-later
#include "sat/static_order.h"

#include <algorithm>
#include <numeric>
#include <utility>

namespace fenceline::sat {

std::optional<StaticOrder> StaticOrder::of(const BitMatrix& pairs) {
  BitMatrix before = pairs;
  for (size_t x = 0; x < before.size(); ++x) before.clear(x, x);
  // A cycle would show here as a pair (x, x), which is not in it.
  if (!before.includes(before.sequence(before))) return std::nullopt;
  return StaticOrder(std::move(before));
}

// Pairs that are known only if an event between them is executed make relations that are not transitive: x is
// before a fence, the fence before y, and that x is before y depends on whether the fence is executed. Then y
// is left out of what follows the fence, until nothing is missing.
StaticOrder StaticOrder::within(const BitMatrix& pairs) {
  BitMatrix before = pairs;
  for (size_t x = 0; x < before.size(); ++x) before.clear(x, x);
  constexpr int kRounds = 50;
  for (int round = 0; round < kRounds; ++round) {
    BitMatrix missing = before.sequence(before);
    missing.subtract(before);
    BitMatrix dropped(before.size());
    missing.for_all([&](size_t x, size_t y) {
      before.for_row(x, [&](size_t k) {
        if (before.at(k, y)) dropped.set(k, y);
      });
    });
    if (dropped == BitMatrix(before.size())) return StaticOrder(std::move(before));
    before.subtract(dropped);
  }
  return StaticOrder(BitMatrix(before.size()));
}

StaticOrder::StaticOrder(BitMatrix before)
    : before_(std::move(before)),
      successors_(before_.size()),
      predecessors_(before_.size()),
      sorted_(before_.size()) {
  BitMatrix covering = before_;
  covering.subtract(before_.sequence(before_));
  std::vector<uint32_t> later(before_.size(), 0);
  before_.for_all([&](size_t x, size_t) { ++later[x]; });
  covering.for_all([&](size_t x, size_t y) {
    successors_[x].push_back(static_cast<uint32_t>(y));
    predecessors_[y].push_back(static_cast<uint32_t>(x));
  });
  // What comes after y comes after all that is before y, too, and so does y itself.
  std::iota(sorted_.begin(), sorted_.end(), 0U);
  std::stable_sort(sorted_.begin(), sorted_.end(),
                   [&](uint32_t x, uint32_t y) { return later[x] > later[y]; });
}

}  // namespace fenceline::sat
