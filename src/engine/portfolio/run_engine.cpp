// SPDX-License-Identifier: GPL-3.0-or-later
#include "engine/portfolio/run_engine.h"

#include <chrono>
#include <new>
#include <string>
#include <system_error>
#include <utility>

#include "env/errors.h"

namespace fenceline::engine {
namespace {

// Does the counterexample end at something that Fenceline cannot do?
bool ends_at_our_limit(const Result& result) {
  const Replay* replay = result.replay();
  const ExecutionCounterexample* execution = result.execution_counterexample();
  return (replay != nullptr && !replay->steps.empty() && replay->steps.back().effect.error.our_limit) ||
         (execution != nullptr && execution->check.error.our_limit);
}

Result accepted(Result result) {
  if (result.verdict() != Verdict::kViolated) return result;
  require(result.replay() != nullptr ? result.replay()->ok : result.execution_counterexample()->check.ok,
          "an engine reports a violation that does not replay");
  if (!ends_at_our_limit(result)) return result;
  Result unknown = unknown_result(UnknownReason::kUnsupported, to_string(final_error(result)));
  unknown.statistics.seconds = result.statistics.seconds;
  return unknown;
}

// Whatever `work` runs out of is an answer, too.
template <class Work>
Result within_limits(Env& env, const Work& work) {
  const auto start = std::chrono::steady_clock::now();
  Result result;
  const auto give_up = [&](UnknownReason why, std::string reason) {
    result = unknown_result(why, std::move(reason));
    result.statistics.seconds =
        std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
  };
  try {
    result = accepted(work());
  } catch (const std::bad_alloc&) {
    give_up(UnknownReason::kLimit,
            env.options.memory_mb == 0 ? "memory ran out" : env.limits.describe(LimitReached::kMemory));
  } catch (const std::system_error&) {
    give_up(UnknownReason::kLimit, "no further thread can be started");
  } catch (const Unsupported& unsupported) {
    give_up(UnknownReason::kUnsupported, unsupported.what());
  }
  env.progress.clear();
  return result;
}

}  // namespace

Result run_engine(const Engine& engine, const Task& task, Env& env) {
  return within_limits(env, [&] { return engine.run(task, env); });
}

Result first_look(const Engine& engine, const Task& task, Env& env) {
  return within_limits(env, [&] { return engine.first_look(task, env).value_or(Result()); });
}

}  // namespace fenceline::engine
