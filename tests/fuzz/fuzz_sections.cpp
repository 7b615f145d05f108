// SPDX-License-Identifier: GPL-3.0-or-later
//
// Atomic sections with several accesses, read-modify-writes among them. Two things must hold:
//
//  - On a model that allows all interleavings, every final state of SC is a final state. An axiom that contradicts the
//    sections would lose some, and what they violate would be verified. The states are those of the enumeration.
//  - `sat` and `executions` agree with the enumeration about a property of the final states.
//
// --plant: sections-are-split takes the read and the write of a read-modify-write to be two places of the order even in a
// section; this must be noticed.
//
// On a difference the program is shrunk line by line and printed; exit status 1.
#include <fmt/format.h>

#include <iostream>
#include <optional>
#include <string>
#include <vector>

#include "beyond_fl.h"
#include "engine/enumeration/enumerate.h"
#include "env/env.h"
#include "random_property.h"
#include "random_runs.h"
#include "sat_adapter.h"

namespace fenceline::fuzz {
namespace {

constexpr uint64_t kMemory = uint64_t{1} << 30;
constexpr double kSeconds = 1;
constexpr uint64_t kEnumerated = 300'000;  // steps

std::string plant;

// ---- Programs

std::string access(Rng& rng) {
  const char cell = "xyz"[rng.below(rng.chance(50) ? 2 : 3)];
  const char reg = "ab"[rng.below(2)];
  const uint64_t value = 1 + rng.below(2);
  switch (rng.below(8)) {
    case 0:
    case 1:
      return fmt::format("{} = {};", reg, cell);
    case 2:
      return fmt::format("{} = {};", cell, value);
    case 3:
      return fmt::format("{} = {} + 1;", cell, reg);
    case 4:
      return fmt::format("{} = cas({}, {}, {});", reg, cell, rng.below(2), value);
    case 5:
      return fmt::format("{} = xchg({}, {});", reg, cell, value);
    case 6:
      return fmt::format("{} = fetch_add({}, 1);", reg, cell);
    default:
      return fmt::format("if (a == b) {{ {} = xchg({}, {}); }}", reg, cell, value);
  }
}

std::string sections_text(Rng& rng) {
  std::string text = "shared int x = 0;\nshared int y = 0;\nshared int z = 0;\n";
  const uint64_t threads = 2 + rng.below(2);
  for (uint64_t t = 0; t < threads; ++t) {
    text += fmt::format("thread P{} {{\n  local int a = 0;\n  local int b = 0;\n", t);
    uint64_t left = threads == 2 ? 4 : 3;
    while (left > 0) {
      const uint64_t here = 1 + rng.below(left);
      left -= here;
      const bool section = rng.chance(60);
      if (section) text += "  atomic {\n";
      for (uint64_t i = 0; i < here; ++i) text += "  " + access(rng) + "\n";
      if (section) text += "  }\n";
      if (rng.chance(15)) text += "  fence;\n";
    }
    text += "}\n";
  }
  return text + fmt::format("property p: finally (P0.a != {} || P1.b != {});\n", rng.below(3), rng.below(2));
}

// What an access gets depends on its number only, so that shrinking changes little.
void tag(Program& program, const std::string& model, uint64_t seed) {
  const bool arm = model == "armv8", riscv = model == "riscv", power = model == "power";
  for (size_t t = 0; t < program.threads.size(); ++t) {
    Rng rng(seed * 100 + t);
    for (Instruction& i : program.threads[t].code) {
      if (!i.is_memory_access()) continue;
      const uint64_t pick = rng.below(4);
      const bool rmw = i.kind == InstrKind::kRmw;
      if (rmw && riscv) i.tags = i.write_tags = {pick < 2 ? "EX" : "AMO"};
      if (rmw && power) i.tags = i.write_tags = {"EX"};
      if (rmw && arm) i.tags = i.write_tags = {pick < 2 ? "EX" : "X"};
      if (arm && pick % 2 == 1 && i.reads_memory()) i.tags.emplace_back("A");
      if (arm && pick % 2 == 0 && i.writes_memory()) (rmw ? i.write_tags : i.tags).emplace_back("L");
    }
  }
}

// ---- Comparisons

// The complete executions by final state; nothing if there are too many.
std::optional<engine::Enumeration> enumerated(Program program, const CatModel& axioms) {
  const std::vector<ExprId> observed = observe_all(program);
  Limits limits(kSeconds, kMemory);
  engine::Enumeration all =
      engine::enumerate_executions(program, axioms, observed, {.budget = kEnumerated, .limits = &limits});
  if (!all.complete || all.too_long || all.too_large) return std::nullopt;
  return all;
}

std::string lost_state(const Program& program, const std::string& name, Tally* tally) {
  const TestedModel sc("sc", ""), tested(name, plant);
  if (!tested.model.allows_interleavings) return "";
  const auto interleavings = enumerated(program, axioms_of(sc.model));
  const auto all = interleavings ? enumerated(program, axioms_of(tested.model)) : std::nullopt;
  if (!all) return "";
  if (tally != nullptr) {
    ++(*tally)[name + " compared with sc"];
    if (all->states.size() > interleavings->states.size()) ++(*tally)[name + " has more states"];
  }
  for (const auto& [state, number] : interleavings->states)
    if (!all->states.contains(state))
      return fmt::format("{}: a state of sc is lost: [{}]", name, fmt::join(state, " "));
  return "";
}

std::string contradiction(const Program& program, const std::string& name, Tally* tally) {
  if (program.properties.empty()) return "";
  const TestedModel tested(name, "");
  const FenceSet no_fences;
  const Task task{program, no_fences, tested.model, program.properties.front()};
  const auto verdict = [&](std::string_view engine) {
    return verdict_of(engine, task, Options(), Limits(kSeconds, kMemory));
  };
  const std::string expected = verdict("enumeration");
  if (tally != nullptr) ++(*tally)[fmt::format("{} {}", name, expected)];
  if (expected == "unknown") return "";
  for (const char* engine : {"sat", "executions"}) {
    const std::string found = verdict(engine);
    if (tally != nullptr && found == "unknown") ++(*tally)[fmt::format("{} {} unknown", name, engine)];
    if (found != "unknown" && found != expected)
      return fmt::format("{}: enumeration {}, {} {}", name, expected, engine, found);
  }
  return "";
}

std::string difference(const std::string& text, const std::vector<std::string>& models, uint64_t seed,
                       Tally* tally) {
  for (const std::string& model : models) {
    Program program = read_program(text);
    tag(program, model, seed);
    std::string found = lost_state(program, model, tally);
    if (found.empty()) found = contradiction(program, model, tally);
    if (!found.empty()) return found;
  }
  return "";
}

int run(const RandomRuns& runs) {
  Tally tally;
  const bool agree =
      all_agree(runs, sections_text, [&](const std::string& text, Rng& rng) -> std::optional<Disagreement> {
        std::vector<std::string> models = runs.models;
        if (!runs.every) models = {models[rng.below(models.size())], models[rng.below(models.size())]};
        const uint64_t seed = rng.below(1000);
        const std::string what = difference(text, models, seed, &tally);
        if (what.empty()) return std::nullopt;
        const std::string kind = what.substr(0, what.find('['));
        return Disagreement{what, [=](const std::string& less) {
                              return difference(less, models, seed, nullptr).starts_with(kind);
                            }};
      });
  print(tally);
  if (!agree) return 1;
  std::cout << runs.count << " programs: no model loses what atomic sections do\n";
  return 0;
}

}  // namespace
}  // namespace fenceline::fuzz

int main(int argc, char** argv) {
  using namespace fenceline::fuzz;
  return fuzz_main(
      argc, argv,
      {.models = {"tso", "pso", "rmo", "rmo-ctrl", "relaxed", "x86tso", "armv8", "riscv", "power", "rc11"}},
      run, [](CommandLine& line) {
        line.option("--plant", "", [](const std::string& name) {
          plant = name;
          return true;
        });
      });
}
