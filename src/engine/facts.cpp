// SPDX-License-Identifier: GPL-3.0-or-later
#include "engine/facts.h"

#include <algorithm>

#include "ir/analysis/constructs.h"
#include "ir/analysis/ranges.h"
#include "machine/code.h"
#include "machine/store_buffer/growth.h"

namespace fenceline::engine {
namespace {

template <class Compute>
bool once(std::optional<bool>& known, const Compute& compute) {
  if (!known) known = compute();
  return *known;
}

}  // namespace

bool has_unbounded_integers(const Program& program) {
  const auto wraps = [](const Expr& e) { return e.op == ExprOp::kWrap; };
  if (std::any_of(program.exprs.begin(), program.exprs.end(), wraps)) return false;
  for (const Thread& thread : program.threads)
    if (std::any_of(thread.code.begin(), thread.code.end(), [](const Instruction& i) { return i.wrap != 0; }))
      return false;
  const auto unbounded = [](const std::vector<Range>& ranges) {
    return std::any_of(ranges.begin(), ranges.end(), [](const Range& range) { return !range.bounded(); });
  };
  const Ranges ranges = analyze_ranges(program);
  return unbounded(ranges.cells) || std::any_of(ranges.registers.begin(), ranges.registers.end(), unbounded);
}

bool Facts::unbounded_integers() const {
  return once(unbounded_integers_, [&] { return has_unbounded_integers(task_.program); });
}

bool Facts::growing_buffers() const {
  return once(growing_buffers_, [&] {
    const Overlay overlay(task_.program, task_.fences);
    return machine::find_growth(machine::Code(overlay, task_.model)).has_value();
  });
}

bool Facts::loops() const {
  return once(loops_, [&] { return has_loops(task_.program); });
}

bool Facts::many_threads() const {
  constexpr size_t kFewThreads = 6;
  return task_.program.threads.size() > kFewThreads;
}

bool Facts::monitored_positions() const {
  const auto& fences = task_.fences.all();
  return std::any_of(fences.begin(), fences.end(), [](const auto& fence) { return fence.second.none(); });
}

}  // namespace fenceline::engine
