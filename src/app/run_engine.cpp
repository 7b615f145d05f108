// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/run_engine.h"

#include <chrono>
#include <new>
#include <string>
#include <utility>

#include "app/interrupt.h"
#include "env/env.h"
#include "env/errors.h"

namespace fenceline {

Result run_engine(const Engine& engine, const Problem& problem, const Options& options, Progress& progress) {
  const auto start = std::chrono::steady_clock::now();
  Result result;
  Limits limits(options.timeout, options.memory_mb << 20);
  const Interruptible interruptible(limits);
  Env env{options, limits, progress};
  const auto give_up = [&](std::string reason) {
    result = Result();
    result.reason = std::move(reason);
    result.seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
  };
  try {
    result = engine.run(problem, env);
  } catch (const std::bad_alloc&) {
    give_up("memory ran out");
  } catch (const Unsupported& unsupported) {
    give_up(unsupported.what());
  }
  progress.clear();
  return result;
}

}  // namespace fenceline
