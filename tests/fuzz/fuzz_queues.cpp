// SPDX-License-Identifier: GPL-3.0-or-later
//
// The machine with queues on random programs: against the store buffers where a model has both, and against
// the axioms where it has none. Final states must be the same, and so must be whether something can fail.
#include <fmt/format.h>

#include <exception>
#include <set>

#include "beyond_fl.h"
#include "engine/explicit/outcomes.h"
#include "engine/outcomes.h"
#include "env/env.h"
#include "generator.h"
#include "model/memory_model.h"
#include "random_runs.h"
#include "sat_adapter.h"
#include "semantics/queue/queue_system.h"

namespace fenceline::fuzz {
namespace {

struct Seen {
  std::set<std::vector<Value>> finals;
  bool error = false;
};

constexpr double kSeconds = 1;
constexpr uint64_t kBytes = uint64_t{1} << 30;

std::optional<Seen> seen(Outcomes outcomes) {
  if (!outcomes.complete) return std::nullopt;
  return Seen{std::move(outcomes.finals), outcomes.error_reachable};
}

// None: the question is too large, or not for this machine.
std::optional<Seen> by_queues(const Program& program, const MemoryModel& model, bool reduction) {
  const ReorderTable table = table_of(model).value();
  if (!queue_cannot_run(program, table).empty()) return std::nullopt;
  Options options;
  options.reduction = reduction;
  Limits limits(kSeconds, kBytes);
  Progress progress(false);
  Env env{options, limits, progress};
  return seen(collect_queue_outcomes(program, FenceSet(), table, env));
}

std::optional<Seen> by_buffers(const Program& program, const MemoryModel& model) {
  const Options options;
  Limits limits(kSeconds, kBytes);
  Progress progress(false);
  Env env{options, limits, progress};
  return seen(collect_outcomes(program, FenceSet(), model, env));
}

// Errors are none of the axioms' final states.
std::optional<Seen> by_axioms(const Program& program, const MemoryModel& model) {
  Program observable = program;
  const std::vector<ExprId> observed = observe_all(observable);
  const Options options;
  Limits limits(kSeconds, kBytes);
  Progress progress(false);
  Env env{options, limits, progress};
  const LitmusOutcomes outcomes = final_outcomes(observable, model, observed, env);
  if (!outcomes.complete) return std::nullopt;
  Seen all;
  for (const LitmusState& state : outcomes.states) all.finals.insert(state.values);
  return all;
}

std::string text_of(const std::vector<Value>& state) {
  std::string text;
  for (const Value value : state) text += fmt::format("{}{}", text.empty() ? "" : " ", value);
  return text;
}

// Empty if they agree.
std::string difference(const std::string& text, const std::string& name, uint64_t& compared) {
  const MemoryModel& model = memory_model(name);
  const Program program = read_program(text);
  const std::optional<Seen> queues = by_queues(program, model, true);
  if (!queues) return "";
  const bool buffers = model.buffering != Buffering::kNotBuffered;
  const std::optional<Seen> other = buffers ? by_buffers(program, model) : by_axioms(program, model);
  if (!other) return "";
  ++compared;
  const char* who = buffers ? "the store buffers" : "the axioms";
  for (const std::vector<Value>& state : queues->finals)
    if (!other->finals.contains(state))
      return fmt::format("{}: only queues end with {}", name, text_of(state));
  for (const std::vector<Value>& state : other->finals)
    if (!queues->finals.contains(state))
      return fmt::format("{}: only {} end with {}", name, who, text_of(state));
  if (buffers && queues->error != other->error)
    return fmt::format("{}: only {} fail", name, queues->error ? "queues" : who);
  const std::optional<Seen> ahead = by_queues(program, model, false);
  if (ahead && (ahead->finals != queues->finals || ahead->error != queues->error))
    return fmt::format("{}: queues that are filled as far as possible are different", name);
  return "";
}

std::string program_text(Rng& rng) {
  constexpr unsigned kLoops = 1;  // percent
  const Family family = rng.below(100) < kLoops ? Family::kLoops : Family::kLoopFree;
  return print_fl(generate(family, rng));
}

int run(int argc, char** argv) {
  RandomRuns defaults;
  defaults.models = {"sc", "tso", "pso", "rmo", "rmo-ctrl"};
  const std::optional<RandomRuns> runs = random_runs(argc, argv, defaults);
  if (!runs) return 64;
  uint64_t compared = 0;
  const auto ask = [&](const std::string& text, Rng&) -> std::optional<Disagreement> {
    for (const std::string& model : runs->models) {
      const std::string what = difference(text, model, compared);
      if (what.empty()) continue;
      return Disagreement{what, [model](const std::string& other) {
                            uint64_t ignored = 0;
                            try {
                              return !difference(other, model, ignored).empty();
                            } catch (const std::exception&) {
                              return false;
                            }
                          }};
    }
    return std::nullopt;
  };
  const bool agree = all_agree(*runs, program_text, ask);
  fmt::print("{} comparisons\n", compared);
  return agree ? 0 : 1;
}

}  // namespace
}  // namespace fenceline::fuzz

int main(int argc, char** argv) { return fenceline::fuzz::run(argc, argv); }
