// SPDX-License-Identifier: GPL-3.0-or-later
//
// Threads that execute the same code are explored in one order only. Here random programs with such threads are explored
// with and without that, and each execution is written down in the form that is the least of all permutations of these
// threads: the same forms must come out. Half of the programs have a thread that starts and joins the others, and cells of
// which each thread has its own. Some wait in loops.
//
// --plant different-tags: the accesses of threads differ in their orders, and they are taken to be alike all the same.
//
// On a difference the program is shrunk line by line and printed; exit status 1.
#include <fmt/format.h>

#include <algorithm>
#include <iostream>
#include <numeric>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "beyond_fl.h"
#include "engine/executions/explorable_program.h"
#include "engine/executions/exploration.h"
#include "engine/executions/requirements.h"
#include "engine/executions/symmetric_threads.h"
#include "env/errors.h"
#include "model/cat/cat.h"
#include "random_runs.h"
#include "sat_adapter.h"

namespace fenceline::fuzz {
namespace {

constexpr uint64_t kMemory = uint64_t{1} << 30;
constexpr double kSeconds = 2;

std::string plant;

Property no_errors() { return {"errors", PropertyKind::kNoErrors, ExprId(), SourcePos()}; }

// ---- Programs

std::string statement(Rng& rng, uint64_t variables) {
  const std::string x = fmt::format("x{}", rng.below(variables));
  const std::string r = rng.chance(50) ? "a" : "b";
  const uint64_t value = 1 + rng.below(2);
  switch (rng.below(14)) {
    case 0:
      return fmt::format("  {} = {};\n", x, value);
    case 1:
    case 2:
      return fmt::format("  {} = {};\n", r, x);
    case 3:
      return fmt::format("  {} = {} + 1;\n", x, r);
    case 4:
      return fmt::format("  if ({} == {}) {{ {} = {}; }}\n", r, value, x, value + 1);
    case 5:
      return fmt::format("  {} = xchg({}, {});\n", r, x, value);
    case 6:
      return fmt::format("  {} = cas({}, {}, {});\n", r, x, rng.below(2), value);
    case 7:
    case 8:
      return fmt::format("  {} = fetch_add({}, 1);\n", r, x);
    case 9:
      return fmt::format(
          "  choose {{\n    {0} = cas/*value*/({1}, 0, {2});\n    assume/*guess*/({0} == 0);\n  }} or {{\n   "
          " {0} = "
          "{1};\n    assume/*guess*/({0} != 0);\n  }}\n",
          r, x, value);
    case 10:
      return fmt::format("  {0} = {1}; while ({0} == 0) {{ {0} = {1}; }}\n", r, x);
    case 11:  // a test-and-set lock
      return fmt::format("  {0} = xchg({1}, 1); while ({0} == 1) {{ {0} = xchg({1}, 1); }}\n  {1} = 0;\n", r,
                         x);
    case 12:
      return fmt::format("  {} = 0;\n", x);
    default:
      return rng.chance(50) ? fmt::format("  havoc {} in 0..1;\n", r) : std::string("  fence;\n");
  }
}

std::string random_text(Rng& rng) {
  const uint64_t threads = 2 + rng.below(3), variables = 1 + rng.below(2);
  const bool started = rng.chance(50), own = rng.chance(30);
  std::string text, body;
  for (uint64_t v = 0; v < variables; ++v) text += fmt::format("shared int x{} = 0;\n", v);
  text += "shared int s[4];\nshared int d[4];\nshared int own[4];\n";
  const std::string locals = "  local int a = 0;\n  local int b = 0;\n";
  for (uint64_t n = 1 + rng.below(threads == 2 ? 4 : threads == 3 ? 3 : 2); n > 0; --n)
    body += statement(rng, variables);
  const std::string other = rng.chance(40) ? statement(rng, variables) : "";
  if (started) {
    text += "thread M {\n" + locals;
    const bool unfair = rng.chance(10);
    for (uint64_t t = 0; t < threads; ++t)
      text += fmt::format("  s[{}] = 1;\n{}", t, unfair ? statement(rng, variables) : "");
    text += other;
    for (uint64_t t = 0; t < threads; ++t)
      text += fmt::format("  a = d[{}];\n  assume/*wait*/(a == 1);\n", t);
    text += "  b = x0;\n}\n";
  }
  for (uint64_t t = 0; t < threads; ++t) {
    text += fmt::format("thread P{} {{\n{}", t, locals);
    if (started) text += fmt::format("  b = s[{}];\n  assume/*wait*/(b == 1);\n", t);
    if (own) text += fmt::format("  own[{0}] = 1;\n", t);
    text += body;
    if (own) text += fmt::format("  a = own[{0}];\n  own[{0}] = b;\n", t);
    if (started) text += fmt::format("  d[{}] = 1;\n", t);
    text += "}\n";
  }
  if (!started && !other.empty()) text += "thread Q {\n" + locals + other + "}\n";
  return text + "property p: never (x0 == 99);\n";
}

// Of accesses in C; those of the n-th access of each thread that is called P are the same.
void tag(Program& program, uint64_t seed) {
  static const std::vector<std::string> loads = {"RLX", "ACQ", "SC"}, stores = {"RLX", "REL", "SC"};
  for (size_t t = 0; t < program.threads.size(); ++t) {
    Thread& thread = program.threads[t];
    const bool alike = thread.name.starts_with("P") && plant != "different-tags";
    Rng rng(alike ? seed : seed * 100 + t);
    const bool starts_alike = rng.chance(90);
    const uint64_t starts = rng.below(12);
    for (Instruction& i : thread.code) {
      if (!i.is_memory_access()) continue;
      const bool start = thread.name == "M" && program.object(i.address.object).name != "x0";
      const uint64_t pick = start && starts_alike ? starts : rng.below(12);
      i.tags = {i.kind == InstrKind::kStore ? stores[pick % 3] : loads[pick % 3]};
      if (i.kind == InstrKind::kRmw) i.write_tags = {stores[pick % 3]};
    }
  }
}

// ---- Executions

using Permutation = std::vector<size_t>;  // by thread: its new number

std::vector<Permutation> permutations(const Program& program, const executions::SymmetricThreads& symmetric) {
  Permutation identity(program.threads.size());
  std::iota(identity.begin(), identity.end(), 0);
  std::vector<size_t> members;  // of the one group that these programs have
  for (size_t t = 0; t < identity.size(); ++t)
    if (symmetric.like(ThreadId(t)).valid()) members.push_back(t);
  std::vector<Permutation> all;
  std::vector<size_t> order = members;
  do {
    Permutation one = identity;
    for (size_t i = 0; i < members.size(); ++i) one[members[i]] = order[i];
    all.push_back(one);
  } while (std::next_permutation(order.begin(), order.end()));
  return all;
}

// What happens in the execution if threads are called otherwise. Accesses to the cells of which each thread has its own are
// left out.
std::string described(const Execution& execution, const executions::SymmetricThreads& symmetric,
                      const Permutation& permutation) {
  const size_t threads = permutation.size();
  std::vector<std::string> name(execution.events.size());
  std::vector<std::vector<size_t>> by_thread(threads);
  const auto is_own = [&](const Event& event) {
    for (size_t t = 0; t < threads; ++t)
      if (event.cell.valid() && symmetric.is_own(ThreadId(t), event.cell)) return true;
    return false;
  };
  for (size_t e = 0; e < execution.events.size(); ++e) {
    const Event& event = execution.events[e];
    if (!event.thread.valid()) {
      name[e] = "i";
    } else if (!is_own(event)) {
      const size_t t = permutation[event.thread.index()];
      name[e] = fmt::format("{}.{}", t, by_thread[t].size());
      by_thread[t].push_back(e);
    }
  }
  std::string text;
  for (size_t t = 0; t < threads; ++t) {
    text += "\n";
    for (const size_t e : by_thread[t]) {
      const Event& event = execution.events[e];
      text += fmt::format(" {}:{}:{}", event.point.index(), event.cell.valid() ? event.cell.index() : 0,
                          event.value);
      if (event.kind == EventKind::kRead) text += "<" + name[execution.reads_from[e].index()];
    }
  }
  std::vector<std::string> choices(threads);
  for (size_t t = 0; t < execution.choices.size(); ++t)
    choices[permutation[t]] = fmt::format("{}", fmt::join(execution.choices[t], " "));
  text += fmt::format("\n{}\n", fmt::join(choices, ";"));
  for (const std::vector<EventId>& order : execution.coherence) {
    if (order.size() > 1)  // an initial write alone may be there without an access
      for (const EventId write : order) text += " " + name[write.index()];
    text += ";";
  }
  return text;
}

using Forms = std::set<std::string>;

struct Explored {
  Forms forms;
  uint64_t executions = 0;
};

// Nothing if there are too many.
std::optional<Explored> explored(const Program& program, const CatModel& axioms,
                                 const executions::SymmetricThreads& symmetric, bool reduced) {
  const FenceSet no_fences;
  const Overlay overlay(program, no_fences);
  const Property errors = no_errors();
  const executions::ExplorableProgram prepared(overlay, axioms, &errors);
  const std::vector<Permutation> all = permutations(program, symmetric);
  Limits limits(kSeconds, kMemory);
  Explored found;
  executions::ExplorationOptions options{.stop_at_errors = false, .limits = &limits};
  options.symmetric = reduced ? &symmetric : nullptr;
  options.restart = [&] { found = {}; };
  const auto result =
      executions::explore(prepared.code(), prepared.plan(), options, [&](const executions::Leaf& leaf) {
        if (leaf.kind != executions::LeafKind::kComplete) return true;
        const Execution execution = leaf.execution();
        std::string least;
        for (const Permutation& permutation : all) {
          std::string text = described(execution, symmetric, permutation);
          if (least.empty() || text < least) least = std::move(text);
        }
        found.forms.insert(least);
        ++found.executions;
        return true;
      });
  if (!result.finished || result.too_large || result.too_long) return std::nullopt;
  return found;
}

std::string difference(const std::string& text, const std::string& name, uint64_t seed, Tally* tally) {
  const TestedModel tested(name, "");
  const CatModel axioms = axioms_of(tested.model);
  if (!executions::unsuitable_constraint(axioms).empty()) return "";
  Program program = read_program(text);
  const Property errors = no_errors();
  const FenceSet no_fences;
  if (plant.empty() && name == "rc11") tag(program, seed);
  const executions::SymmetricThreads symmetric(Overlay(program, no_fences), errors);
  if (!plant.empty()) tag(program, seed);
  if (tally != nullptr) ++(*tally)[fmt::format("{} threads alike", symmetric.size())];
  if (symmetric.size() == 0) return "";
  try {
    const std::optional<Explored> all = explored(program, axioms, symmetric, false);
    const std::optional<Explored> some = explored(program, axioms, symmetric, true);
    if (!all || !some) return "";
    if (tally != nullptr) {
      (*tally)[name + " executions"] += all->executions;
      (*tally)[name + " explored"] += some->executions;
      (*tally)[name + " up to permutation"] += all->forms.size();
    }
    if (some->forms == all->forms && some->executions <= all->executions) return "";
    return fmt::format("{}: {} executions up to permutation, of {} explored only {}", name, all->forms.size(),
                       some->executions, some->forms.size());
  } catch (const Unsupported&) {
    return "";
  }
}

int run(const RandomRuns& runs) {
  Tally tally;
  const bool agree =
      all_agree(runs, random_text, [&](const std::string& text, Rng& rng) -> std::optional<Disagreement> {
        const std::string model = runs.models[rng.below(runs.models.size())];
        const uint64_t seed = rng.below(1000);
        const std::string what = difference(text, model, seed, &tally);
        if (what.empty()) return std::nullopt;
        return Disagreement{
            what, [=](const std::string& less) { return !difference(less, model, seed, nullptr).empty(); }};
      });
  print(tally);
  if (!agree) return 1;
  std::cout << runs.count << " programs: threads that are alike lose no execution\n";
  return 0;
}

}  // namespace
}  // namespace fenceline::fuzz

int main(int argc, char** argv) {
  using namespace fenceline::fuzz;
  return fuzz_main(argc, argv,
                   {.models = {"sc", "tso", "pso", "rmo", "relaxed", "armv8", "riscv", "power", "rc11"}}, run,
                   [](CommandLine& line) {
                     line.option("--plant", "", [](const std::string& name) {
                       plant = name;
                       return true;
                     });
                   });
}
