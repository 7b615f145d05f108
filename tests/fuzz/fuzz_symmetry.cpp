// SPDX-License-Identifier: GPL-3.0-or-later
//
// Threads that execute the same code are explored in one order only. Here random programs with such threads are explored
// with and without that, and each execution is written down in the form that is the least of all permutations of these
// threads: the same forms must come out.
//
// --plant different-tags: the accesses of threads differ in their orders, and they are taken to be alike all the same.
// --plant leaked-pointer: threads store pointers to their nodes where numbers are expected.
// --plant different-fences: the thread that starts and joins the others lacks one of its fences, and is taken to have it.
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
#include "random_symmetric.h"
#include "sat_adapter.h"

namespace fenceline::fuzz {
namespace {

constexpr uint64_t kMemory = uint64_t{1} << 30;
constexpr double kSeconds = 2;

std::string plant;

Property no_errors() { return {"errors", PropertyKind::kNoErrors, ExprId(), SourcePos()}; }

// ---- Programs

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

// One of those of the thread that starts the others.
void drop_fence(Program& program, uint64_t seed) {
  std::vector<Instruction*> fences;
  for (Thread& thread : program.threads)
    for (Instruction& i : thread.code)
      if (thread.name == "M" && i.kind == InstrKind::kFence) fences.push_back(&i);
  if (!fences.empty()) fences[seed % fences.size()]->kind = InstrKind::kMark;
}

// Instead of constants.
void leak_pointers(Program& program) {
  for (Thread& thread : program.threads) {
    const auto me = std::find_if(thread.registers.begin(), thread.registers.end(),
                                 [](const Register& reg) { return reg.name == "me"; });
    if (me == thread.registers.end()) continue;
    fenceline::Expr pointer;
    pointer.op = ExprOp::kReg;
    pointer.reg = RegId(static_cast<size_t>(me - thread.registers.begin()));
    for (Instruction& i : thread.code) {
      if (i.kind != InstrKind::kStore || !program.object(i.address.object).name.starts_with("x")) continue;
      program.exprs.push_back(pointer);
      i.a = ExprId(program.exprs.size() - 1);
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

// The nodes are called otherwise as well. Thread n has node n: M is the first thread, and P0 the second.
class RenamedNodes {
 public:
  RenamedNodes(const Program& program, const executions::SymmetricThreads& symmetric,
               const Permutation& permutation)
      : program_(program), symmetric_(symmetric), permutation_(permutation) {}

  size_t cell(CellId cell) const {
    bool in_node = false;
    for (size_t t = 0; t < permutation_.size(); ++t)
      in_node = in_node || symmetric_.is_in_node(ThreadId(t), cell);
    if (!in_node) return cell.index();
    const size_t first = program_.object(program_.object_of(cell)).first_cell.index();
    return first + renamed(cell.index() - first);
  }
  Value value(CellId cell, Value value) const {
    const bool pointers =  // which programs without M and two others do not have
        permutation_.size() > 2 && symmetric_.exchanged(ThreadId(1), ThreadId(2), cell, 1) == 2;
    return pointers && value > 0 ? static_cast<Value>(renamed(static_cast<size_t>(value))) : value;
  }

 private:
  size_t renamed(size_t node) const { return node < permutation_.size() ? permutation_[node] : node; }

  const Program& program_;
  const executions::SymmetricThreads& symmetric_;
  const Permutation& permutation_;
};

// What happens in the execution if threads are called otherwise. Accesses to the cells of which each thread has its own are
// left out.
std::string described(const Program& program, const Execution& execution,
                      const executions::SymmetricThreads& symmetric, const Permutation& permutation) {
  const RenamedNodes nodes(program, symmetric, permutation);
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
      text += fmt::format(" {}", event.point.index());
      if (event.cell.valid())
        text += fmt::format(":{}:{}", nodes.cell(event.cell), nodes.value(event.cell, event.value));
      if (event.kind == EventKind::kRead) text += "<" + name[execution.reads_from[e].index()];
    }
  }
  std::vector<std::string> choices(threads);
  for (size_t t = 0; t < execution.choices.size(); ++t)
    choices[permutation[t]] = fmt::format("{}", fmt::join(execution.choices[t], " "));
  text += fmt::format("\n{}\n", fmt::join(choices, ";"));
  std::vector<std::string> coherence(execution.coherence.size());
  for (size_t cell = 0; cell < coherence.size(); ++cell)
    if (execution.coherence[cell].size() > 1)  // an initial write alone may be there without an access
      for (const EventId write : execution.coherence[cell])
        coherence[nodes.cell(CellId(cell))] += " " + name[write.index()];
  text += fmt::format("{}", fmt::join(coherence, ";"));
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
          std::string text = described(program, execution, symmetric, permutation);
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
  const executions::SymmetricThreads symmetric(Overlay(program, no_fences), errors, axioms.shipped);
  if (plant == "different-tags") tag(program, seed);
  if (plant == "different-fences") drop_fence(program, seed);
  if (plant == "leaked-pointer") leak_pointers(program);
  const bool started = program.threads.front().name == "M";
  if (tally != nullptr)
    ++(*tally)[fmt::format("{} threads alike{}", symmetric.size(),
                           !started                                   ? ""
                           : text.find("me = g") == std::string::npos ? ", started by another"
                                                                      : ", with nodes")];
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
  const bool agree = all_agree(
      runs, random_symmetric, [&](const std::string& text, Rng& rng) -> std::optional<Disagreement> {
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
