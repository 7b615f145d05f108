// SPDX-License-Identifier: GPL-3.0-or-later
//
// Several jobs explore what one explores. Random programs are explored by one, two and four jobs, which look after every
// few graphs whether another one has nothing to do: the same leaves must come out, each as often, and the same figures.
// Then some leaves, chosen by their hash, end the exploration: whatever job meets them, the same leaves must follow.
//
// Half of the programs have threads with the same code. Orders of threads, reductions and what ends a thread vary.
//
// --plant: what must be noticed. lost-part: leaves of what was given away are not visited. doubled-part: they are visited
// twice. first-to-arrive: the leaf that ends the exploration is the one that comes first, not the first in order.
//
// On a difference the program is shrunk line by line and printed; exit status 1.
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <functional>
#include <iostream>
#include <map>
#include <optional>
#include <string>
#include <thread>
#include <vector>

#include "beyond_fl.h"
#include "contended_programs.h"
#include "engine/executions/explorable_program.h"
#include "engine/executions/exploration.h"
#include "engine/executions/requirements.h"
#include "env/errors.h"
#include "random_runs.h"
#include "sat_adapter.h"

namespace fenceline::fuzz {
namespace {

using executions::ExplorationOptions;
using executions::ExplorationResult;
using executions::Leaf;

constexpr uint64_t kMemory = uint64_t{1} << 30;
constexpr double kSeconds = 0.5;

std::string plant;

// All threads get the code of the first one.
std::string with_equal_threads(std::string text) {
  const auto body = [&](size_t t) -> std::optional<std::pair<size_t, size_t>> {
    const std::string head = fmt::format("thread P{} {{\n", t);
    const size_t begin = text.find(head);
    if (begin == std::string::npos) return std::nullopt;
    return std::pair(begin + head.size(), text.find("\n}\n", begin));
  };
  const auto first = body(0);
  if (!first) return text;
  text =
      text.substr(0, text.find("property ")) + "property p: finally (1 == 1);\n";  // it knows other threads
  const std::string code = text.substr(first->first, first->second - first->first);
  for (size_t t = 1;; ++t) {
    const auto other = body(t);
    if (!other) return text;
    text.replace(other->first, other->second - other->first, code);
  }
}

// Compare-exchanges that may fail without a reason: what is read does not decide between alternatives.
std::string weak_exchanges_text(Rng& rng) {
  std::string text = "shared int x = 0;\n";
  for (uint64_t t = 0; t < 3; ++t) {
    text += fmt::format("thread P{} {{\n  local int a = 0;\n", t);
    for (uint64_t s = 1 + rng.below(2); s > 0; --s)
      text += rng.chance(40)
                  ? fmt::format("  x = {};\n", rng.below(2))
                  : fmt::format(
                        "  choose {{\n    a = cas/*value*/(x, {0}, {1});\n    assume/*guess*/(a == {0});\n"
                        "  }} or {{\n    a = x;\n  }}\n",
                        rng.below(2), 1 + rng.below(2));
    text += "}\n";
  }
  return text + "property p: finally (1 == 1);\n";
}

// A thread initialises, and starts others, which wait for something else as well. Whether what it does before it starts
// them races with that is known from what all jobs have seen.
std::string started_text(Rng& rng) {
  const uint64_t threads = 1 + rng.below(2);
  std::string text =
      "shared int x = 0;\nshared int f = 0;\nshared int s[2];\nthread M {\n  local int a = 0;\n";
  if (rng.chance(80)) text += "  x = 1;\n";
  if (rng.chance(50)) text += "  f = 0;\n";
  for (uint64_t t = 0; t < threads; ++t) text += fmt::format("  s[{}] = 1;\n", t);
  if (rng.chance(30)) text += "  a = x;\n";
  text += "  f = 1;\n}\n";
  for (uint64_t t = 0; t < threads; ++t) {
    text += fmt::format("thread P{0} {{\n  local int a = 0;\n  local int b = 0;\n  b = s[{0}];\n", t);
    text += "  assume/*wait*/(b == 1);\n";
    text += fmt::format("  b = f; while (b == 0) {{ {} b = f; }}\n", rng.chance(70) ? "a = x;" : "");
    if (rng.chance(30)) text += "  f = 2;\n";
    text += "}\n";
  }
  return text + "property p: finally (1 == 1);\n";
}

std::string random_text(Rng& rng) {
  if (rng.chance(15)) return weak_exchanges_text(rng);
  if (rng.chance(15)) return started_text(rng);
  const std::string text = rng.chance(20) ? waiting_text(rng) : contended_text(rng);
  return rng.chance(50) ? with_equal_threads(text) : text;
}

std::string described(const Leaf& leaf) {
  const Execution execution = leaf.execution();
  std::string text = fmt::format("{} {}:", static_cast<int>(leaf.kind), fmt::join(leaf.flags, ","));
  for (size_t e = 0; e < execution.events.size(); ++e) {
    const Event& event = execution.events[e];
    text += fmt::format(" {}.{}={}", event.thread.valid() ? event.thread.index() : 99,
                        event.thread.valid() ? event.point.index() : event.cell.index(), event.value);
    if (event.kind == EventKind::kRead) text += fmt::format("<{}", execution.reads_from[e].index());
  }
  for (const std::vector<EventId>& order : execution.coherence) {
    text += ";";
    for (const EventId write : order) text += fmt::format(" {}", write.index());
  }
  for (const std::vector<Value>& choices : execution.choices)
    text += fmt::format(";{}", fmt::join(choices, " "));
  for (const Point at : execution.locations) text += fmt::format("@{}", at.index());
  return text;
}

// How a program is explored.
struct Variant {
  ExplorationOptions options;
  bool symmetric = false;
  size_t modulus = 1;   // leaves whose hash is divisible by it end the exploration
  size_t followed = 1;  // leaves that are looked at from there on,
  uint64_t work = 0;    // within this bound; 0: none

  explicit Variant(uint64_t seed) {
    Rng rng(seed);
    options.stop_at_errors = rng.chance(50);
    options.reversed = rng.chance(30);
    options.prune_waits = rng.chance(70);
    options.looks_for_waits = rng.chance(20);
    symmetric = !options.looks_for_waits && rng.chance(70);
    modulus = 2 + rng.below(12);
    followed = 1 + rng.below(6);
    work = rng.chance(50) ? 1 + rng.below(400) : 0;
    options.grain = 1 + rng.below(4);
  }
};

struct Explored {
  bool complete = false;  // no limit
  std::string figures;
  std::map<std::string, uint64_t> leaves;
  std::vector<std::string> followed;
  uint64_t by_others = 0;  // leaves that other threads than the first have visited

  friend bool operator==(const Explored& a, const Explored& b) {
    return a.figures == b.figures && a.leaves == b.leaves && a.followed == b.followed;
  }
};

class Exploration {
 public:
  Exploration(const Program& program, const CatModel& axioms, const Variant& variant)
      : variant_(variant), overlay_(program, no_fences_), prepared_(overlay_, axioms, &errors_) {}

  Explored with(size_t jobs) const {
    Explored found;
    Limits limits(kSeconds, kMemory);
    ExplorationOptions options = variant_.options;
    options.symmetric = variant_.symmetric ? &prepared_.symmetric() : nullptr;
    options.limits = &limits;
    options.jobs = jobs;
    options.restart = [&] { found.leaves.clear(); };
    try {
      found.complete = explore_all(options, found) && explore_to_an_end(options, found);
    } catch (const Unsupported& unsupported) {
      found.complete = true;
      found.leaves.clear();  // some jobs have come further
      found.figures = unsupported.what();
    }
    return found;
  }

 private:
  bool explore_all(const ExplorationOptions& options, Explored& found) const {
    const std::thread::id first = std::this_thread::get_id();
    const ExplorationResult result =
        executions::explore(prepared_.code(), prepared_.plan(), options, [&](const Leaf& leaf) {
          const bool given = std::this_thread::get_id() != first;
          found.by_others += given ? 1 : 0;
          if (given && plant == "lost-part") return true;
          found.leaves[described(leaf)] += given && plant == "doubled-part" ? 2 : 1;
          return true;
        });
    found.figures = fmt::format(
        "{} {} executions, {} blocked, {:x}, {} graphs, {} revisits, {} events, {} {} at {}.{}, flags {}",
        result.finished, result.executions, result.blocked, result.fingerprint, result.graphs,
        result.revisits, result.largest, result.too_large, result.too_long,
        result.too_long_thread.valid() ? result.too_long_thread.index() : 99,
        result.too_long_thread.valid() ? result.too_long_at.index() : 0, result.may_miss_flags);
    return result.limit == LimitReached::kNone;
  }

  bool explore_to_an_end(ExplorationOptions options, Explored& found) const {
    executions::ExplorationBounds bounds;
    std::optional<std::string> earliest;
    options.bounds = &bounds;
    options.restart = {};
    const auto accepts = [&](const Leaf& leaf) {
      return std::hash<std::string>()(described(leaf)) % variant_.modulus != 0;
    };
    options.follow_up = [&](const Leaf& leaf) {
      if (variant_.work > 0 && !bounds.active)
        bounds = {.active = true, .work = variant_.work, .most_events = ~size_t{0}};
      found.followed.push_back(plant == "first-to-arrive" && found.followed.empty() ? *earliest
                                                                                    : described(leaf));
      return found.followed.size() < variant_.followed;
    };
    const ExplorationResult result =
        executions::explore(prepared_.code(), prepared_.plan(), options, [&](const Leaf& leaf) {
          if (accepts(leaf)) return true;
          if (!earliest) earliest = described(leaf);
          return false;
        });
    return result.limit == LimitReached::kNone;
  }

  const Variant& variant_;
  const FenceSet no_fences_;
  const Overlay overlay_;
  const Property errors_{"errors", PropertyKind::kNoErrors, ExprId(), SourcePos()};
  const executions::ExplorableProgram prepared_;
};

std::string compared(const Explored& one, const Explored& several) {
  if (one.figures != several.figures) return fmt::format("{}; by one: {}", several.figures, one.figures);
  if (one.leaves != several.leaves) return "other leaves than by one";
  return fmt::format("{} leaves follow, by one {}, or others", several.followed.size(), one.followed.size());
}

std::string difference(const std::string& text, const std::string& model, uint64_t seed, Tally* tally) {
  const TestedModel tested(model, "");
  const CatModel axioms = axioms_of(tested.model);
  if (!executions::unsuitable_constraint(axioms).empty()) return "";
  Program program = read_program(text);
  tag_accesses(program, model, seed % 1000);
  const Variant variant(seed);
  const Exploration exploration(program, axioms, variant);
  const Explored one = exploration.with(1);
  if (!one.complete) return "";
  for (const size_t jobs : {2, 4}) {
    const Explored several = exploration.with(jobs);
    if (!several.complete) continue;
    if (tally != nullptr) {
      ++(*tally)[fmt::format("{} jobs", jobs)];
      (*tally)["leaves"] += several.leaves.size();
      (*tally)["leaves of what was given away"] += several.by_others;
      (*tally)["flags may be missed"] += one.figures.ends_with("flags true") ? 1 : 0;
      (*tally)["explorations with an end"] += several.followed.empty() ? 0 : 1;
    }
    if (several == one) continue;
    return fmt::format("{}: by {} jobs {}", model, jobs, compared(one, several));
  }
  return "";
}

int run(const RandomRuns& runs) {
  Tally tally;
  const bool agree =
      all_agree(runs, random_text, [&](const std::string& text, Rng& rng) -> std::optional<Disagreement> {
        const std::string model = runs.models[rng.below(runs.models.size())];
        const uint64_t seed = rng.below(1'000'000);
        const std::string what = difference(text, model, seed, &tally);
        if (what.empty()) return std::nullopt;
        return Disagreement{
            what, [=](const std::string& less) { return !difference(less, model, seed, nullptr).empty(); }};
      });
  print(tally);
  if (!agree) return 1;
  std::cout << runs.count << " programs: several jobs explore what one explores\n";
  return 0;
}

}  // namespace
}  // namespace fenceline::fuzz

int main(int argc, char** argv) {
  using namespace fenceline::fuzz;
  return fuzz_main(
      argc, argv,
      {.models = {"sc", "tso", "pso", "rmo", "relaxed", "armv8", "riscv", "power", "rc11", "rc11", "rc11"}},
      run, [](CommandLine& line) {
        line.option("--plant", "", [](const std::string& name) {
          plant = name;
          return true;
        });
      });
}
