// SPDX-License-Identifier: GPL-3.0-or-later
//
// The robustness engine against the exploration of execution graphs, on random programs of the IR: where it proves
// something, the program must have the same executions on the model as on SC, as many for each final state, and raise no
// flag of the model; and an error must not be missed.
//
// Random programs rarely are robust and interesting at once, so some of their accesses get stronger orders first.
//
// --plant NAME: the engine is asked about another program, which must be noticed: one whose reads all acquire (`acquires`),
// whose stores are all exchanges (`exchanges`), that has a fence behind each access (`fences`), or whose accesses are all
// atomic (`atomic`).
//
// On a difference the program is shrunk line by line and printed; exit status 1.
#include <fmt/format.h>

#include <iostream>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "beyond_fl.h"
#include "contended_programs.h"
#include "engine/outcomes/final_outcomes.h"
#include "engine/robustness/robustness_engine.h"
#include "env/errors.h"
#include "env/silent_env.h"
#include "ir/analysis/constructs.h"
#include "model/memory_model.h"
#include "random_runs.h"
#include "sat_adapter.h"
#include "synchronised_programs.h"

namespace fenceline::fuzz {
namespace {

constexpr double kSeconds = 0.5;
constexpr uint64_t kMemory = uint64_t{1} << 30;

std::string plant;

std::string random_text(Rng& rng) {
  if (rng.chance(60)) return synchronised_text(rng);
  switch (rng.below(3)) {
    case 0:
      return waiting_text(rng);
    case 1:
      return load_buffering_text(rng);
    default:
      return contended_text(rng);
  }
}

// The tags of an access that acquires and releases, or is sequentially consistent. Power has fences only.
void make_strong(Instruction& instruction, const std::string& model, bool sequential) {
  const bool load = instruction.kind == InstrKind::kLoad, store = instruction.kind == InstrKind::kStore;
  instruction.order = sequential ? MemoryOrder::kSeqCst : MemoryOrder::kAcqRel;
  if (model == "rc11") {
    instruction.tags = {sequential ? "SC" : load ? "ACQ" : store ? "REL" : "ACQ_REL"};
    instruction.write_tags = instruction.tags;
  } else if (model == "armv8") {
    instruction.tags = {store ? "L" : sequential ? "A" : "Q"};
    instruction.write_tags = {"L"};
  } else if (model == "riscv") {
    instruction.tags = {store ? "Rel" : "Acq"};
    instruction.write_tags = {"Rel"};
  }
  if (instruction.kind != InstrKind::kRmw) instruction.write_tags.clear();
}

void make_relaxed(Instruction& instruction, const std::string& model) {
  instruction.order = MemoryOrder::kRelaxed;
  instruction.tags.clear();
  instruction.write_tags.clear();
  if (model == "rc11") instruction.tags = {"RLX"};
  if (model == "rc11" && instruction.kind == InstrKind::kRmw) instruction.write_tags = {"RLX"};
}

// Replaces the orders of some accesses by stronger ones. Mistakes show where all accesses are strong but one or two.
void strengthen(Program& program, const std::string& model, Rng& rng) {
  const uint64_t percent = rng.chance(50) ? rng.below(101) : 80 + rng.below(21);
  const uint64_t sequential = rng.below(3) * 50, relaxed = rng.below(3) * 50;
  for (Thread& thread : program.threads)
    for (Instruction& instruction : thread.code) {
      if (!instruction.is_memory_access()) continue;
      if (rng.below(100) < percent)
        make_strong(instruction, model, rng.below(100) < sequential);
      else if (rng.below(100) < relaxed)
        make_relaxed(instruction, model);
    }
}

// All accesses to an object are seq_cst or all are plain: such programs need no views.
void separate(Program& program, const std::string& model, Rng& rng) {
  std::vector<bool> plain;
  for (size_t object = 0; object < program.objects.size(); ++object) plain.push_back(rng.chance(40));
  for (Thread& thread : program.threads)
    for (const Instruction& instruction : thread.code)
      if (instruction.kind == InstrKind::kRmw) plain[instruction.address.object.index()] = false;
  for (Thread& thread : program.threads)
    for (Instruction& instruction : thread.code) {
      if (!instruction.is_memory_access()) continue;
      make_strong(instruction, model, true);
      if (!plain[instruction.address.object.index()]) continue;
      instruction.order = MemoryOrder::kPlain;
      instruction.tags.clear();
      if (model == "rc11") instruction.tags.emplace_back("NA");
    }
}

bool may_fail(const Program& program) {
  for (const Thread& thread : program.threads)
    for (const Instruction& instruction : thread.code)
      if (instruction.kind == InstrKind::kAssert) return true;
  return false;
}

struct Executions {
  std::map<std::vector<Value>, uint64_t> by_state;
  std::vector<std::string> flags;
};

std::string to_text(const Executions& executions) {
  std::string text;
  for (const auto& [values, number] : executions.by_state)
    text += fmt::format(" [{}]x{}", fmt::join(values, " "), number);
  for (const std::string& flag : executions.flags) text += " flag " + flag;
  return text;
}

std::optional<Executions> executions_of(const Program& program, const std::string& model,
                                        const std::vector<ExprId>& observed) {
  const TestedModel tested(model, "");
  Options options;
  Limits limits(kSeconds, kMemory);
  SilentEnv env(options, limits);
  try {
    const LitmusOutcomes outcomes =
        engine::final_outcomes(program, tested.model, observed, env, engine::OutcomeEngine::kExecutions);
    if (!outcomes.complete) return std::nullopt;
    Executions all{{}, outcomes.flags};
    for (const LitmusState& state : outcomes.states) all.by_state[state.values] = state.executions;
    return all;
  } catch (const Unsupported&) {
    return std::nullopt;
  }
}

// Changes the program that the engine is asked about, so that it is wrong about the original.
void plant_mistake(Program& program, FenceSet& fences, const std::string& model) {
  const bool language = model == "rc11", arm = model == "armv8";
  for (size_t t = 0; t < program.threads.size(); ++t)
    for (size_t p = 0; p < program.threads[t].code.size(); ++p) {
      Instruction& instruction = program.threads[t].code[p];
      if (!instruction.is_memory_access()) continue;
      if (plant == "acquires" && instruction.reads_memory() && (language || arm))
        instruction.tags = {language ? "ACQ" : "Q"};
      if (plant == "atomic" && language) instruction.tags = {"RLX"};
      if (plant == "exchanges" && instruction.kind == InstrKind::kStore) {
        instruction.kind = InstrKind::kRmw;
        instruction.rmw = RmwOp::kXchg;
        instruction.write_tags = instruction.tags;
      }
      if (plant == "fences" && instruction.next.size() == 1)
        fences.add(ThreadId(t), Point(p), FenceKinds::full());
    }
}

// Does the engine show it? Errors of the program do not matter: the property says nothing.
bool shown_robust(Program program, const std::string& model) {
  const TestedModel tested(model, "");
  fenceline::Expr one;
  one.imm = 1;
  program.exprs.push_back(one);
  const Property property{"nothing", PropertyKind::kFinally, ExprId(program.exprs.size() - 1), SourcePos()};
  FenceSet fences;
  plant_mistake(program, fences, model);
  const Task task{program, fences, tested.model, property};
  const std::unique_ptr<engine::Engine> engine = robustness::make_robustness_engine();
  if (!engine->supports(task)) return false;
  Options options;
  Limits limits(kSeconds, kMemory);
  SilentEnv env(options, limits);
  try {
    return engine->run(task, env).verdict() == Verdict::kVerified;
  } catch (const Unsupported&) {
    return false;
  }
}

// Is an error missed? Stopped threads have no final state, but others may fail beside them.
bool misses_error(const Program& program, const std::string& model) {
  const TestedModel tested(model, "");
  const Property property{"errors", PropertyKind::kNoErrors, ExprId(), SourcePos()};
  const FenceSet fences;
  const Task task{program, fences, tested.model, property};
  const Options options;
  return verdict_of("robustness", task, options, Limits(kSeconds, kMemory)) == "verified" &&
         verdict_of("executions", task, options, Limits(kSeconds, kMemory)) == "violated";
}

std::string difference(const std::string& text, const std::string& model, uint64_t seed, Tally* tally) {
  const auto count = [&](const char* what) {
    if (tally != nullptr) ++(*tally)[model + " " + what];
  };
  Program program = read_program(text);
  tag_accesses(program, model, seed);
  Rng rng(seed);
  if ((model == "rc11" || model == "armv8") && rng.chance(25))
    separate(program, model, rng);
  else
    strengthen(program, model, rng);
  if (has_sync(program)) return "";
  if (may_fail(program) && misses_error(program, model)) return model + ": an error is missed";
  const bool robust = shown_robust(program, model);
  if (!robust && tally == nullptr) return "";
  const std::vector<ExprId> observed = observe_all(program);
  const std::optional<Executions> weak = executions_of(program, model, observed);
  const std::optional<Executions> strong = executions_of(program, "sc", observed);
  if (!weak || !strong) {
    count("not compared");
    return "";
  }
  const bool same = has_loops(program) ? [&] {
    for (const auto& [state, number] : weak->by_state)
      if (!strong->by_state.contains(state)) return false;
    return weak->by_state.size() == strong->by_state.size();
  }()
                                       : weak->by_state == strong->by_state;
  const bool really = same && weak->flags.empty();
  count(robust ? "shown robust" : really ? "robust, but not shown" : "not robust");
  if (!robust || really) return "";
  return fmt::format("{}: taken to be robust;{}, on sc{}", model, to_text(*weak), to_text(*strong));
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
  std::cout << runs.count << " programs: what is taken to be robust is\n";
  return 0;
}

}  // namespace
}  // namespace fenceline::fuzz

int main(int argc, char** argv) {
  using namespace fenceline::fuzz;
  return fuzz_main(argc, argv, {.models = {"rc11", "armv8", "riscv", "power"}}, run, [](CommandLine& line) {
    line.option("--plant", "", [](const std::string& name) {
      plant = name;
      return true;
    });
  });
}
