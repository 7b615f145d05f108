// SPDX-License-Identifier: GPL-3.0-or-later
//
// Liveness, on random programs whose threads wait for each other: for flags, locks, tickets, values to be exchanged or
// compared, at atomic sections, with counters and choices meanwhile. Compared are, on SC, TSO and PSO: the definition on
// the graph of all states (liveness_by_definition.h); `explicit`, with its reductions and without; `executions`. None of
// them shares with another how it finds out that a thread waits. On all models: `executions`, and the formula that decides
// where loads may be buffered; and what violates liveness on SC, where each store is visible at once, violates it on every
// model.
//
// --plant: breaks the exploration, or how its leaves are judged; this must be noticed.
//   old-values   a thread that is blocked waits for ever, whatever the last writes are
//   last-thread  the last thread is not looked at
//   pruned       waits are dropped from the exploration as they are for other properties
//
// On a difference the program is shrunk line by line and printed; exit status 1.
#include <fmt/format.h>

#include <iostream>
#include <iterator>
#include <optional>
#include <string>
#include <vector>

#include "beyond_fl.h"
#include "engine/executions/exploration.h"
#include "engine/options.h"
#include "engine/portfolio/portfolio.h"
#include "engine/sat/formula.h"
#include "engine/sat/options.h"
#include "engine/sat/sat_engine.h"
#include "env/errors.h"
#include "env/silent_env.h"
#include "liveness_by_definition.h"
#include "random_runs.h"
#include "sat_adapter.h"

namespace fenceline::fuzz {
namespace {

constexpr uint64_t kMemory = uint64_t{1} << 30;
constexpr double kSeconds = 1;
constexpr size_t kMostStates = 20'000;

std::string plant;

// ---- Programs

// Something that a thread does in each iteration in which it waits.
std::string meanwhile(Rng& rng) {
  static constexpr const char* kWhat[] = {"",
                                          "",
                                          "",
                                          " n = n + 1;",
                                          " a = x;",
                                          " a = y;",
                                          " fence;",
                                          " n = 1 - n;",
                                          " havoc a in 0..1;",
                                          " choose { n = 0; } or { n = 1; }",
                                          " choose { a = x; } or { a = x; n = a; }",
                                          " z = 1;",
                                          " if (a == 1) { break; }",
                                          " a = x; if (a == 1) { break; }",
                                          " y = 0;"};
  return kWhat[rng.below(rng.chance(70) ? 6 : std::size(kWhat))];
}

std::string wait(Rng& rng) {
  const char* flag = rng.chance(50) ? "x" : "y";
  const uint64_t value = rng.below(2);
  const std::string idle = meanwhile(rng);
  switch (rng.below(9)) {
    case 0:
    case 1:
      return fmt::format("b = {0}; while (b != {1}) {{{2} b = {0}; }}", flag, value, idle);
    case 2:
      return fmt::format("b = xchg(l, 1); while (b == 1) {{{} b = xchg(l, 1); }}", idle);
    case 3:
      return fmt::format("b = cas(l, 0, 1); while (b == 0) {{{} b = cas(l, 0, 1); }}", idle);
    case 4:  // test, then test-and-set
      return fmt::format("b = 1; while (b == 1) {{{} b = l; while (b == 1) {{ b = l; }} b = xchg(l, 1); }}",
                         idle);
    case 5:
      return fmt::format("await({} == {});", flag, value);
    case 6:
      return "atomic { b = l; assume(b == 0); l = 1; }";
    case 7:  // a ticket
      return fmt::format("n = fetch_add(t, 1); b = s; while (b != n) {{{} b = s; }}", idle);
    default:  // retry until it succeeds
      return fmt::format("b = 0; while (b == 0) {{ a = {0}; b = cas({0}, a, {1}); }}", flag, value);
  }
}

std::string statement(Rng& rng) {
  const char* flag = rng.chance(50) ? "x" : "y";
  switch (rng.below(rng.chance(85) ? 11 : 14)) {
    case 0:
    case 1:
    case 2:
    case 3:
      return wait(rng);
    case 4:
    case 5:
      return fmt::format("{} = {};", flag, rng.below(2));
    case 6:
      return "l = 0;";
    case 7:
      return "s = s + 1;";
    case 8:
      return fmt::format("a = {};", flag);
    case 9:
      return fmt::format("if (a == {}) {{ {} }}", rng.below(2), wait(rng));
    case 10:
      return rng.chance(50) ? "fence;" : "if (b == 1) { l = 0; }";
    case 11:
      return rng.chance(50) ? "assert(a == 0);" : "halt;";
    case 12:  // what is read first is the same
      return fmt::format("choose {{ a = {0}; }} or {{ a = {0}; while (a == {1}) {{ b = 0; }} }}", flag,
                         rng.below(2));
    default:
      return fmt::format("assume(a == {});", rng.below(2));
  }
}

std::string random_text(Rng& rng) {
  const uint64_t threads = rng.chance(75) ? 2 : 3;
  std::string text;
  for (const char* name : {"x", "y", "l", "t", "s", "z"}) text += fmt::format("shared int {} = 0;\n", name);
  for (uint64_t t = 0; t < threads; ++t) {
    text += fmt::format("thread P{} {{\n  local int a = 0;\n  local int b = 0;\n  local int n = 0;\n", t);
    for (uint64_t s = 1 + rng.below(threads == 2 ? 4 : 2); s > 0; --s) text += "  " + statement(rng) + "\n";
    text += "}\n";
  }
  return text + "property live: liveness;\n";
}

// ---- Verdicts

std::string verdict(std::string_view engine, const Task& task, bool reduction) {
  Options options;
  options.of<engine::StateSpaceOptions>().buffer_limit = 3;
  options.of<engine::StateSpaceOptions>().reduction = reduction;
  return verdict_of(engine, task, options, Limits(kSeconds, kMemory));
}

// As the engine does it, with something wrong.
std::string planted(const Task& task) {
  using namespace executions;
  const Overlay overlay(task.program, task.fences);
  const CatModel axioms = axioms_of(task.model);
  const ModelPlan plan(axioms, overlay);
  const Liveness used = sat::liveness_for(task.program, &task.property, Reads::kUsed);
  const WaitLoops loops(overlay, used, sat::observed_cells(task.program, &task.property));
  const ThreadCode code(overlay, plan.uses_dependencies(), idle_when_alone(loops));
  const ThreadCode alone(overlay, false, idle_when_alone(loops));
  const RetriedWaits retried(task.program);
  Limits limits(kSeconds, kMemory);
  bool violated = false;
  const auto all_wait = [&](const Leaf& leaf) {
    bool all = leaf.kind == executions::LeafKind::kBlocked, some = false;
    const size_t threads = task.program.threads.size() - (plant == "last-thread" ? 1 : 0);
    for (size_t t = 0; t < threads; ++t) {
      if (leaf.ended(ThreadId(t))) continue;
      const bool waits = plant == "old-values" || leaf.waits(alone, retried, ThreadId(t)) == Waits::kForEver;
      (waits ? some : all) = waits;
    }
    return all && some;
  };
  const ExplorationResult result = explore(
      code, plan,
      {.stop_at_errors = false, .prune_waits = true, .looks_for_waits = plant != "pruned", .limits = &limits},
      [&](const Leaf& leaf) {
        violated = violated || all_wait(leaf);
        return true;
      });
  if (!result.finished || result.too_large || result.too_long) return "unknown";
  return violated ? "violated" : "verified";
}

std::string by_executions(const Task& task) {
  if (plant.empty()) return verdict("executions", task, true);
  try {
    return planted(task);
  } catch (const Unsupported&) {
    return "unknown";
  }
}

// The engine `sat` does not support it on its own, since not every model allows waiting threads to go on waiting.
std::string by_formula(const Task& task) {
  Options options;
  options.of<sat::SatOptions>().bound = 4;
  Limits limits(kSeconds, kMemory);
  SilentEnv env(options, limits);
  try {
    return std::string(to_string(sat::make_sat_engine()->run(task, env).verdict()));
  } catch (const std::exception& thrown) {
    return thrown.what();
  }
}

bool known(const std::string& verdict) { return verdict != "unknown"; }

std::string on_machine(const Task& task, Tally* tally) {
  const std::optional<bool> defined = violates_liveness(task.program, task.model, kMostStates);
  std::vector<std::pair<std::string, std::string>> all = {
      {"by definition", !defined   ? "unknown"
                        : *defined ? "violated"
                                   : "verified"},
      {"explicit", verdict("explicit", task, true)},
      {"explicit, not reduced", verdict("explicit", task, false)},
      {"executions", by_executions(task)},
      {"formula", by_formula(task)}};
  for (const auto& [who, what] : all)
    if (tally != nullptr) ++(*tally)[fmt::format("{} {}: {}", task.model.name, who, what)];
  for (const auto& [who, what] : all)
    for (const auto& [other, says] : all)
      if (known(what) && known(says) && what != says)
        return fmt::format("{}: {} {}, {} {}", task.model.name, who, what, other, says);
  return "";
}

std::string difference(const std::string& text, const std::vector<std::string>& models, Tally* tally) {
  const Program program = read_program(text);
  if (program.properties.empty() || program.properties.front().kind != PropertyKind::kLiveness) return "";
  const FenceSet no_fences;
  const TestedModel sc("sc", "");
  const std::string strongest =
      verdict("explicit", {program, no_fences, sc.model, program.properties[0]}, true);
  for (const std::string& name : models) {
    const TestedModel tested(name, "");
    const Task task{program, no_fences, tested.model, program.properties.front()};
    if (tested.model.buffering != Buffering::kNoMachine) {
      if (std::string found = on_machine(task, tally); !found.empty()) return found;
      continue;
    }
    const std::string weaker = by_executions(task), solved = by_formula(task);
    if (tally != nullptr) ++(*tally)[fmt::format("{} executions: {}, formula {}", name, weaker, solved)];
    if (known(weaker) && known(solved) && weaker != solved)
      return fmt::format("{}: executions {}, formula {}", name, weaker, solved);
    if (weaker != "verified" && weaker != "violated" && weaker != "unknown")
      return fmt::format("{}: {}", name, weaker);
    if (strongest == "violated" && weaker == "verified")
      return fmt::format("{}: executions verified, sc: explicit violated", name);
  }
  return "";
}

int run(const RandomRuns& runs) {
  Tally tally;
  const bool agree =
      all_agree(runs, random_text, [&](const std::string& text, Rng& rng) -> std::optional<Disagreement> {
        std::vector<std::string> models = runs.models;
        if (!runs.every) models = {models[rng.below(models.size())], models[rng.below(models.size())]};
        const std::string what = difference(text, models, &tally);
        if (what.empty()) return std::nullopt;
        return Disagreement{what, [=](const std::string& less) {
                              const std::string again = difference(less, models, nullptr);
                              return !again.empty() && again.substr(0, 12) == what.substr(0, 12);
                            }};
      });
  print(tally);
  if (!agree) return 1;
  std::cout << runs.count << " programs: no two of them disagree about liveness\n";
  return 0;
}

}  // namespace
}  // namespace fenceline::fuzz

int main(int argc, char** argv) {
  using namespace fenceline::fuzz;
  return fuzz_main(argc, argv, {.models = {"sc", "tso", "pso", "x86tso", "armv8", "riscv", "power", "rc11"}},
                   run, [](CommandLine& line) {
                     line.option("--plant", "", [](const std::string& name) {
                       plant = name;
                       return true;
                     });
                   });
}
