// SPDX-License-Identifier: GPL-3.0-or-later
#include "engine/engine.h"

#include <fmt/format.h>

#include <chrono>
#include <new>

namespace fenceline {

Result measured(const std::function<Result()>& decide) {
  const auto start = std::chrono::steady_clock::now();
  Result result;
  try {
    result = decide();
  } catch (const std::bad_alloc&) {
    result = Result();
    result.reason = "the machine ran out of memory";
  }
  result.seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
  return result;
}

std::string knows_no_histories(const Engine& engine, const Problem& problem) {
  if (!looks_at_history(problem.property.kind)) return "";
  return fmt::format("the {} engine knows nothing of transactions", engine.name());
}

std::string Engine::hesitates(const Problem& problem) const {
  return problem.property.kind == PropertyKind::kObservations ? "tests of data types have many interleavings"
                                                              : "";
}

}  // namespace fenceline
