// SPDX-License-Identifier: GPL-3.0-or-later
//
// What the C front end does to finished programs (forwarded_stores.h, jump_threading.h, set_up.h, dead_code.h) against
// these programs as they were, on random ones: memory that one thread has for itself, constants that decide branches, what
// the first thread does before it starts the other one, loops that only count. On sc, tso and pso the verdict must stay the same, by the explicit engine; on armv8, where a forwarded
// load takes its dependencies with it, what was violated must stay so, by the sat engine.
//
// --plant: unobserved  what properties look at counts as dead
//          shared      memory of several threads counts as private
//          started     what the first thread does after it has started the other one counts as before
// These must be noticed. On a difference the program is shrunk line by line and printed; exit status 1.
#include <fmt/format.h>

#include <iostream>
#include <optional>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "beyond_fl.h"
#include "frontend/c/dead_code.h"
#include "frontend/c/forwarded_stores.h"
#include "frontend/c/jump_threading.h"
#include "frontend/c/set_up.h"
#include "ir/verify/verify.h"
#include "model/memory_model.h"
#include "random_runs.h"

namespace fenceline::fuzz {
namespace {

constexpr double kSeconds = 2;
constexpr uint64_t kMemory = uint64_t{256} << 20;

std::string plant;

// ---- Programs

class RandomThread {
 public:
  RandomThread(Rng& rng, uint64_t number, bool meddles) : rng_(rng), number_(number), meddles_(meddles) {}

  std::string text() {
    std::string result = fmt::format("thread P{} {{\n  local int a = 0;\n  local int b = 0;\n", number_) +
                         "  local int c = 0;\n  local int n = 0;\n";
    // The first one leaves an argument for the second one, and starts it.
    if (number_ == 0) result += lines(rng_.below(4), 2) + "  m[4] = 2;\n  fence;\n  go = 1;\n";
    if (number_ == 1) result += "  await (go == 1);\n  fence;\n  a = m[4];\n";
    return result + lines(3 + rng_.below(4), 2) + "}\n";
  }

 private:
  std::string lines(uint64_t count, unsigned depth) {
    std::string result;
    for (uint64_t i = 0; i < count; ++i) result += line(depth);
    return result;
  }

  char reg() { return "abc"[rng_.below(3)]; }
  // One of two cells of the thread's own; `constant`: with which chance it is known which one.
  std::string own(unsigned constant) {
    const uint64_t first = 2 * (meddles_ && rng_.chance(30) ? 1 - number_ : number_);
    if (rng_.chance(constant)) return fmt::format("m[{}]", first + rng_.below(2));
    return rng_.chance(70) ? fmt::format("m[{} + {} % 2]", first, reg())
                           : fmt::format("m[{} + {}]", reg(), first);
  }
  std::string condition() {
    return fmt::format("{} {} {}", reg(), rng_.chance(60) ? "==" : "<", rng_.below(3));
  }

  std::string line(unsigned depth) {
    const std::string block = depth == 0 ? "" : lines(rng_.below(3), depth - 1);
    switch (depth == 0 ? rng_.below(8) : rng_.below(12)) {
      case 0:
      case 1:
        return fmt::format("  {} = {};\n", reg(), rng_.below(3));
      case 2:
        return fmt::format("  {} = {};\n", reg(), reg());
      case 3:
        return fmt::format("  {} = {};\n", reg(), "xy"[rng_.below(2)]);
      case 4:
        return fmt::format("  {} = {};\n", "xy"[rng_.below(2)],
                           rng_.chance(50) ? std::string(1, reg()) : "1");
      case 5:
      case 6:
        return fmt::format("  {} = {};\n", own(95),
                           rng_.chance(70) ? std::to_string(rng_.below(3)) : std::string(1, reg()));
      case 7:
        return fmt::format("  {} = {};\n", reg(), own(60));
      case 8:
        return fmt::format("  n = 0;\n  while (n < {}) {{\n  n = n + 1;\n{}  }}\n", 1 + rng_.below(3), block);
      case 9:
        return fmt::format("  if ({}) {{\n{}  }}\n", condition(), block);
      default:
        return fmt::format("  if ({}) {{\n{}  }} else {{\n{}  }}\n", condition(), block,
                           lines(rng_.below(2), depth - 1));
    }
  }

  Rng& rng_;
  const uint64_t number_;
  const bool meddles_;
};

std::string random_text(Rng& rng) {
  std::string text = "shared int x = 0;\nshared int y = 0;\nshared int go = 0;\nshared int m[5];\n";
  const bool meddles = rng.chance(50);
  for (uint64_t t = 0; t < 2; ++t) text += RandomThread(rng, t, meddles).text();
  const auto fact = [&] {
    const char* const places[] = {"P0.a", "P0.b", "P0.n", "P1.a", "P1.c", "x", "y", "m[0]", "m[3]"};
    return fmt::format("{} {} {}", places[rng.below(std::size(places))],
                       rng.chance(70) ? "!=" : "<=", rng.below(3));
  };
  return text + fmt::format("property observed: finally ({} || {});\n", fact(), fact());
}

// ---- Simplification

std::optional<CellId> cell_of(const Program& program, const std::string& name, size_t offset) {
  for (const Object& object : program.objects)
    if (object.name == name) return CellId(object.first_cell.index() + offset);
  return std::nullopt;  // shrinking took it away
}

std::vector<CellId> arguments_of(const Program& program) {
  const std::optional<CellId> cell = cell_of(program, "m", 4);
  return cell ? std::vector{*cell} : std::vector<CellId>();
}

std::vector<CellId> handles_of(const Program& program) {
  std::vector<CellId> result;
  for (size_t i = 0; i < 3; ++i)
    if (const std::optional<CellId> cell = cell_of(program, "m", i)) result.push_back(*cell);
  return result;
}

std::set<CellId> starts_of(const Program& program) {
  const std::optional<CellId> cell = cell_of(program, plant == "started" ? "y" : "go", 0);
  return cell ? std::set{*cell} : std::set<CellId>();
}

// Does the other thread begin by waiting to be started?
bool waits(const Program& program) {
  const Thread& thread = program.threads.back();
  const Instruction& first = thread.at(thread.entry);
  return program.threads.size() == 2 && first.kind == InstrKind::kAtomicBegin &&
         thread.at(first.next[0]).kind == InstrKind::kLoad &&
         program.object(thread.at(first.next[0]).address.object).name == "go";
}

// As if the other threads were not there.
void forward_alone(Program& program) {
  for (size_t t = 0; t < program.threads.size(); ++t) {
    Program alone = program;
    Instruction halt;
    halt.kind = InstrKind::kHalt;
    for (size_t other = 0; other < alone.threads.size(); ++other)
      if (other != t) {
        alone.threads[other].code = {halt};
        alone.threads[other].entry = Point(0);
      }
    frontend::c::forward_stores(alone, arguments_of(alone), handles_of(alone));
    program.threads[t].code = alone.threads[t].code;
    program.exprs = alone.exprs;
  }
}

Program simplified(Program program) {
  plant == "shared" ? forward_alone(program)
                    : frontend::c::forward_stores(program, arguments_of(program), handles_of(program));
  frontend::c::thread_jumps(program);
  if (waits(program)) frontend::c::execute_set_up(program, ThreadId(0), starts_of(program));
  std::vector<Property> properties = program.properties;
  if (plant == "unobserved") program.properties.clear();
  frontend::c::remove_dead_code(program, {});
  program.properties = std::move(properties);
  return program;
}

std::string verdict(const std::string& engine, const Program& program, const std::string& model) {
  const FenceSet none;
  Options options;
  options.engine = engine;
  return verdict_of(engine, {program, none, memory_model(model), program.properties.front()}, options,
                    Limits(kSeconds, kMemory));
}

std::string difference(const std::string& text, const std::vector<std::string>& models, Tally* tally) {
  const Program before = read_program(text);
  if (before.properties.empty()) return "";  // shrinking took it away
  const Program after = simplified(before);
  if (const std::vector<std::string> wrong = verify(after); !wrong.empty())
    return "not a program: " + wrong.front();
  for (const std::string& model : models) {
    const bool exact = model != "armv8";
    const std::string engine = exact ? "explicit" : "sat";
    const std::string old = verdict(engine, before, model), now = verdict(engine, after, model);
    if (tally != nullptr) ++(*tally)[model + " " + old];
    if (old == "unknown" || now == "unknown" || old == now || (!exact && old == "verified")) continue;
    return fmt::format("{}: {} as it was, {} simplified", model, old, now);
  }
  return "";
}

int run(const RandomRuns& runs) {
  Tally tally;
  const bool agree = all_agree(
      runs, random_text,
      [&](Rng&) -> EngineComparison {
        return
            [&](const std::string& text, Tally* counted) { return difference(text, runs.models, counted); };
      },
      tally);
  if (!agree) return 1;
  print(tally);
  std::cout << runs.count << " programs: simplified, they are the same\n";
  return check_variety(runs, 50, 20, [&](const std::string& model, const std::string& verdict) {
    return tally[model + " " + verdict];
  });
}

}  // namespace
}  // namespace fenceline::fuzz

int main(int argc, char** argv) {
  using namespace fenceline::fuzz;
  return fuzz_main(argc, argv, {.count = 100, .models = {"sc", "tso", "pso", "armv8"}}, run,
                   [](CommandLine& line) {
                     line.option("--plant", "", [](const std::string& name) {
                       plant = name;
                       return name == "unobserved" || name == "shared" || name == "started";
                     });
                   });
}
