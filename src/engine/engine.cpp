// SPDX-License-Identifier: GPL-3.0-or-later
#include "engine/engine.h"

#include <fmt/format.h>

#include <chrono>
#include <new>

#include "ir/analysis/constructs.h"

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

std::string wide_stores_unsupported(const Engine& engine, const Task& task) {
  if (task.model.buffering == Buffering::kUnbuffered || !has_wide_stores(Overlay(task.program, task.fences)))
    return "";
  return fmt::format("the {} engine does not support stores that are pending in several cells at once",
                     engine.name());
}

std::string unsupported_by_executions(const Engine& engine, const Task& task) {
  if (std::string why = transactions_unsupported(engine, task); !why.empty()) return why;
  if (!has_axioms(task.model))
    return fmt::format("the {} engine needs axioms, and {} is a table", engine.name(), task.model.name);
  switch (task.property.kind) {
    case PropertyKind::kNever:
    case PropertyKind::kAlways:
      return fmt::format("the {} engine has no intermediate states, and '{}' is about them", engine.name(),
                         task.property.name);
    case PropertyKind::kNoDeadlock:
      return fmt::format("the {} engine cannot check deadlocks", engine.name());
    case PropertyKind::kFinally:
    case PropertyKind::kObservations:
    case PropertyKind::kNoErrors:
    case PropertyKind::kOpacity:
    case PropertyKind::kStrictSerializability:
    case PropertyKind::kLiveness:  // each of them knows
      break;
  }
  if (has_sync(Overlay(task.program, task.fences)))
    return "`sync` waits for the stores of all threads, which axioms cannot express";
  return "";
}

std::optional<Result> Engine::first_look(const Task&, Env&) const { return std::nullopt; }

Priority Engine::priority(const Task& task, const Facts& facts) const {
  const Priority::Speed speed = slow_speed(task, facts);
  if (task.property.kind == PropertyKind::kObservations)
    return {Priority::Rank::kDoubtful, "tests of data types have many interleavings", speed};
  if (facts.unbounded_integers()) return {Priority::Rank::kDoubtful, "integers have no bound", speed};
  return {.speed = speed};
}

Priority::Speed Engine::slow_speed(const Task& task, const Facts& facts) {
  const bool buffered =
      task.model.buffering != Buffering::kUnbuffered && task.model.buffering != Buffering::kNoMachine;
  if (facts.unbounded_integers() || (buffered && facts.growing_buffers())) return Priority::Speed::kSlow;
  return Priority::Speed::kRare;
}

}  // namespace fenceline::engine
