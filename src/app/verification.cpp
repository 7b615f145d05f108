// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/verification.h"

#include <chrono>

#include "app/interrupt.h"
#include "app/supervised.h"
#include "engine/portfolio/result_bytes.h"
#include "env/supervisor.h"

namespace fenceline::app {

// A little is reserved for what is not counted, so that an engine stops before its process is ended. A limit
// that is smaller than what the program needs by itself is one on what the engine holds.
Limits limits_of(const Options& options, double spent) {
  const uint64_t memory = options.memory_mb << 20;
  const bool all = memory >= kLeastTotalMemory && supervisor_bytes() != 0;
  const uint64_t taken = all ? resident_bytes() + supervisor_bytes() + memory / 20 : 0;
  return Limits(options.timeout, memory, taken, spent);
}

Verification verify_task(const Task& task, const Options& options, Limits& limits, Progress& progress,
                         engine::Schedule schedule) {
  const Interruptible interruptible(limits);
  Env env{options, limits, progress};
  return engine::verify(task, env, schedule);
}

Result verify_by(const engine::Engine& engine, const Task& task, const Options& options, Progress& progress) {
  Options by_it = options;
  by_it.engine = engine.name();
  Limits limits = limits_of(options);
  return verify_task(task, by_it, limits, progress).result;
}

Result verify_isolated(const engine::Engine& engine, const Task& task, const Options& options,
                       Progress& progress) {
  const auto start = std::chrono::steady_clock::now();
  const IsolatedResult done =
      run_isolated(options, [&] { return engine::to_bytes(verify_by(engine, task, options, progress)); });
  if (done.answer) return engine::from_bytes(*done.answer, task);
  progress.clear();
  Result result = unknown_result(UnknownReason::kLimit, done.limit);
  result.statistics.seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
  return result;
}

}  // namespace fenceline::app
