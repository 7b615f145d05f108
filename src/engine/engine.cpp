// SPDX-License-Identifier: GPL-3.0-or-later
#include "engine/engine.h"

#include <fmt/format.h>

#include <chrono>
#include <new>

namespace fenceline::engine {

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

std::string liveness_unsupported(const Engine& engine, const Task& task) {
  if (task.property.kind != PropertyKind::kLiveness) return "";
  return fmt::format("the {} engine does not support liveness", engine.name());
}

std::string transactions_unsupported(const Engine& engine, const Task& task) {
  if (!looks_at_history(task.property.kind)) return "";
  return fmt::format("the {} engine does not support transactions", engine.name());
}

std::optional<Result> Engine::first_look(const Task&, Env&) const { return std::nullopt; }

Priority Engine::priority(const Task& task, const Facts& facts) const {
  if (task.property.kind == PropertyKind::kObservations)
    return {Priority::Rank::kDoubtful, "tests of data types have many interleavings"};
  if (facts.unbounded_integers()) return {Priority::Rank::kDoubtful, "integers have no bound"};
  return {};
}

}  // namespace fenceline::engine
