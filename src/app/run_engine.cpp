// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/run_engine.h"

#include <chrono>
#include <new>
#include <string>
#include <system_error>
#include <utility>

#include "app/interrupt.h"
#include "app/supervised.h"
#include "engine/portfolio/result_bytes.h"
#include "env/env.h"
#include "env/errors.h"
#include "env/supervisor.h"

namespace fenceline {
namespace {

// What stopped the execution that the engine found, if that was a limit of ours; else empty.
std::string limit_of_ours(const Result& result) {
  const Replay* replay = result.replay();
  const ExecutionCounterexample* execution = result.execution_counterexample();
  const bool ours = (replay != nullptr && !replay->steps.empty() && replay->steps.back().our_limit) ||
                    (execution != nullptr && execution->check.our_limit);
  return ours ? final_error(result) : "";
}

Result accepted(Result result) {
  if (result.verdict() != Verdict::kViolated) return result;
  require(result.replay() != nullptr ? result.replay()->ok : result.execution_counterexample()->check.ok,
          "an engine reports a violation that does not replay");
  const std::string limit = limit_of_ours(result);
  if (limit.empty()) return result;
  Result unknown = unknown_result(UnknownReason::kUnsupported, limit);
  unknown.statistics.seconds = result.statistics.seconds;
  return unknown;
}

}  // namespace

// A little is left for what is not counted, so that an engine stops before it is stopped. A limit that is
// smaller than what the program takes by itself is one on what the engine holds.
Limits limits_of(const Options& options, double spent) {
  const uint64_t memory = options.memory_mb << 20;
  const bool all = memory >= kLeastTotalMemory && supervisor_bytes() != 0;
  const uint64_t taken = all ? resident_bytes() + supervisor_bytes() + memory / 20 : 0;
  return Limits(options.timeout, memory, taken, spent);
}

Result run_engine(const Engine& engine, const Task& task, const Options& options, Limits& limits,
                  Progress& progress) {
  const auto start = std::chrono::steady_clock::now();
  Result result;
  const Interruptible interruptible(limits);
  Env env{options, limits, progress};
  const auto give_up = [&](UnknownReason why, std::string reason) {
    result = unknown_result(why, std::move(reason));
    result.statistics.seconds =
        std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
  };
  try {
    result = accepted(engine.run(task, env));
  } catch (const std::bad_alloc&) {
    give_up(UnknownReason::kLimit,
            options.memory_mb == 0 ? "memory ran out" : limits.describe(LimitReached::kMemory));
  } catch (const std::system_error&) {
    give_up(UnknownReason::kLimit, "no further thread can be started");
  } catch (const Unsupported& unsupported) {
    give_up(UnknownReason::kUnsupported, unsupported.what());
  }
  progress.clear();
  return result;
}

Result run_engine(const Engine& engine, const Task& task, const Options& options, Progress& progress) {
  Limits limits = limits_of(options);
  return run_engine(engine, task, options, limits, progress);
}

Result run_engine_apart(const Engine& engine, const Task& task, const Options& options, Progress& progress) {
  const auto start = std::chrono::steady_clock::now();
  const DoneApart done =
      apart(options, [&] { return to_bytes(run_engine(engine, task, options, progress)); });
  if (done.answer) return from_bytes(*done.answer, task);
  progress.clear();
  Result result = unknown_result(UnknownReason::kLimit, done.limit);
  result.statistics.seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
  return result;
}

}  // namespace fenceline
