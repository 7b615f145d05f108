// SPDX-License-Identifier: GPL-3.0-or-later
#include "engine/engine.h"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <new>

#include "ir/analysis/ranges.h"

namespace fenceline {

Result measured(const std::function<Result()>& decide) {
  const auto start = std::chrono::steady_clock::now();
  Result result;
  try {
    result = decide();
  } catch (const std::bad_alloc&) {
    result = unknown_result(UnknownReason::kLimit, "the machine ran out of memory");
  }
  result.statistics.seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
  return result;
}

std::string knows_no_histories(const Engine& engine, const Task& task) {
  if (!looks_at_history(task.property.kind)) return "";
  return fmt::format("the {} engine knows nothing of transactions", engine.name());
}

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

std::string Engine::hesitates(const Task& task) const {
  if (task.property.kind == PropertyKind::kObservations) return "tests of data types have many interleavings";
  return has_unbounded_integers(task.program) ? "integers have no bound" : "";
}

}  // namespace fenceline
