// SPDX-License-Identifier: GPL-3.0-or-later
//
// Partial-order reduction where threads wait for each other, and where addresses are computed: random programs in which M
// starts other threads, gives them arguments and joins them, as the C front end has it, with something unusual now and
// then: two threads that store to the same flag, flags that are read without waiting, or written twice. All states of
// the machine are explored with and without reduction: the states without successors must be the same ones, and so must
// the answers whether there is an error and whether there is a deadlock.
//
// --plant lost-writer: the reduction is computed without the stores of thread W, which stores to flags of others.
// --plant lost-elements: the reduction takes computed addresses for those of the first element.
//
// On a difference the program is shrunk line by line and printed; exit status 1.
#include <fmt/format.h>

#include <iostream>
#include <memory>
#include <optional>
#include <string>

#include "beyond_fl.h"
#include "domain/buffer/fifo_buffer.h"
#include "engine/search/search.h"
#include "env/errors.h"
#include "machine/por/awaits.h"
#include "machine/store_buffer/machine_system.h"
#include "model/memory_model.h"
#include "random_runs.h"

namespace fenceline::fuzz {
namespace {

constexpr uint64_t kMaxStates = 20'000;
constexpr uint64_t kBufferLimit = 4;

std::string plant;

// ---- Programs

class RandomStarted {
 public:
  explicit RandomStarted(Rng& rng) : rng_(rng), threads_(2 + rng.below(2)) {}

  std::string text() {
    std::string text =
        "shared int x = 0;\nshared int y = 0;\nshared int z[3];\nshared int g[3];\nshared int scratch = 0;\n";
    text += rng_.chance(90) ? "shared int s[3];\n" : "shared int s[3] = {0, 1};\n";
    text += rng_.chance(90) ? "shared int d[3];\n" : "shared int d[3] = {1};\n";
    text += main_thread();
    for (uint64_t t = 0; t < threads_; ++t) text += worker(t);
    if (rng_.chance(30))
      text += "thread W {\n" + locals() + meddling() + (rng_.chance(30) ? meddling() : "") + "}\n";
    return text + "property p: never (x == 99);\n";
  }

 private:
  static std::string locals() { return "  local int a = 0;\n  local int b = 0;\n"; }
  std::string fence() { return rng_.chance(30) ? "  fence;\n" : ""; }
  std::string flag() { return fmt::format("{}[{}]", rng_.chance(50) ? "s" : "d", rng_.below(threads_)); }

  std::string main_thread() {
    std::string starts, joins;
    for (uint64_t t = 0; t < threads_; ++t) {
      if (rng_.chance(70)) starts += fmt::format("  g[{}] = {};\n", t, rng_.below(3));
      starts += fence() + fmt::format("  s[{}] = {};\n", t, rng_.chance(95) ? 1 : rng_.below(3));
      if (rng_.chance(10)) starts += statement();
      joins += rng_.chance(90) ? fmt::format("  await(d[{}] != 0);\n", t) : fmt::format("  a = d[{}];\n", t);
      joins += fence();
    }
    if (rng_.chance(20)) starts += statement();
    return "thread M {\n" + locals() + starts + joins + "  a = x;\n" +
           fmt::format("  assert(a != {});\n", 1 + rng_.below(3)) + statement() + "}\n";
  }

  std::string worker(uint64_t t) {
    std::string text = fmt::format("thread P{} {{\n", t) + locals();
    if (rng_.chance(10)) text += statement();
    text += rng_.chance(95) ? fmt::format("  await(s[{}] {});\n", t, rng_.chance(85) ? "!= 0" : "== 1")
                            : fmt::format("  a = s[{}];\n", t);
    text += fence();
    if (rng_.chance(70)) text += fmt::format("  a = g[{}];\n", t);
    for (uint64_t n = 1 + rng_.below(3); n > 0; --n) text += statement();
    if (rng_.chance(10)) text += fmt::format("  s[{}] = {};\n", t, rng_.below(2));
    text += fence();
    if (rng_.chance(90)) text += fmt::format("  d[{}] = 1;\n", t);
    if (rng_.chance(10)) text += fmt::format("  d[{}] = {};\n", t, rng_.below(3));
    return text + "}\n";
  }

  std::string meddling() {
    switch (rng_.below(5)) {
      case 0:
        return fmt::format("  a = {};\n", flag());
      case 1:
        return fmt::format("  a = {};\n  x = a;\n", flag());
      case 2:
        return fmt::format("  await({} != 0);\n  x = 2;\n", flag());
      case 3:
        return fmt::format("  a = fetch_add({}, 1);\n", flag());
      default:
        return fmt::format("  {} = {};\n", flag(), rng_.below(2));
    }
  }

  std::string statement() {
    const std::string v = rng_.chance(60) ? "x" : "y", r = rng_.chance(50) ? "a" : "b";
    const uint64_t value = 1 + rng_.below(2);
    switch (rng_.below(12)) {
      case 0:
        return fmt::format("  {} = {};\n", v, value);
      case 1:
        return fmt::format("  {} = {};\n", r, v);
      case 2:
        return fmt::format("  {} = {};\n", v, r);
      case 3:
        return fmt::format("  {} = fetch_add({}, 1);\n", r, v);
      case 4:
        return fmt::format("  {} = cas({}, {}, {});\n", r, v, rng_.below(2), value);
      case 5:
        return fmt::format("  if ({} == {}) {{ {} = {}; }}\n", r, value, v, value + 1);
      case 6:
        return fmt::format("  {} = z[{}];\n", r, r);
      case 7:
        return fmt::format("  z[{}] = {};\n", r, value);
      case 8:
        return fmt::format("  while ({0} == 0) {{ {0} = {1}; }}\n", r, v);
      case 9:
        return fmt::format("  await({} == {});\n", v, value);
      case 10:
        return fmt::format("  {} = g[{}];\n", r, r);
      default:
        return rng_.chance(50) ? fmt::format("  havoc {} in 0..1;\n", r) : std::string("  fence;\n");
    }
  }

  Rng& rng_;
  const uint64_t threads_;
};

std::string random_started(Rng& rng) { return RandomStarted(rng).text(); }

// ---- Planted bugs: what the reduction is computed from

void redirect(Program& program, Instruction& i, std::optional<ObjectId> object) {
  if (object) i.address.object = *object;
  fenceline::Expr zero;
  zero.op = ExprOp::kConst;
  program.exprs.push_back(zero);
  i.address.offset = ExprId(program.exprs.size() - 1);
}

Program planted(Program program) {
  for (size_t o = 0; o < program.objects.size(); ++o) {
    if (program.objects[o].name != "scratch") continue;
    for (Thread& thread : program.threads)
      for (Instruction& i : thread.code) {
        if (!i.is_memory_access()) continue;
        if (plant == "lost-writer" && thread.name == "W" && i.writes_memory())
          redirect(program, i, ObjectId(o));
        if (plant == "lost-elements" && program.expr(i.address.offset).op != ExprOp::kConst)
          redirect(program, i, std::nullopt);
      }
  }
  return program;
}

// ---- Exploration

class TestedSystem final : public machine::SystemSource {
 public:
  TestedSystem(const Program& program, const Program& for_reduction, const MemoryModel& model, bool reduce)
      : overlay_(program, none_),
        other_overlay_(for_reduction, none_),
        code_(overlay_, model),
        other_code_(other_overlay_, model),
        layout_(code_, {}, true),
        reduction_(other_code_, {},
                   reduce ? machine::Reduction::Fusing::kAll : machine::Reduction::Fusing::kNothing, reduce) {
  }

  std::unique_ptr<machine::TransitionSystem> worker() const override {
    return std::make_unique<machine::MachineSystem<buffer::FifoBuffer>>(code_, layout_, reduction_,
                                                                        kBufferLimit);
  }
  const machine::Code& code() const { return code_; }

 private:
  const FenceSet none_;
  Overlay overlay_, other_overlay_;
  machine::Code code_, other_code_;
  machine::StateLayout layout_;
  machine::Reduction reduction_;
};

std::optional<engine::Findings> explored(const TestedSystem& system, const Program& program) {
  Limits limits(0, 0);
  Progress silent(false);
  engine::Search search(system, program, nullptr, {1, kMaxStates}, limits, silent);
  const engine::Findings findings = search.run();
  return findings.complete() ? std::optional(findings) : std::nullopt;
}

std::string difference(const std::string& text, const std::string& name, Tally* tally) {
  const Program program = read_program(text);
  const Program for_reduction = plant.empty() ? program : planted(program);
  const MemoryModel& model = memory_model(name);
  const TestedSystem full(program, program, model, false), reduced(program, for_reduction, model, true);
  const std::optional<engine::Findings> all = explored(full, program);
  if (!all) return "";
  const std::optional<engine::Findings> some = explored(reduced, program);
  if (tally != nullptr) {
    (*tally)[name + " states"] += all->states;
    (*tally)[name + " states with reduction"] += some ? some->states : 0;
    (*tally)[name + " errors"] += all->error_reachable;
    (*tally)[name + " deadlocks"] += all->deadlock_reachable;
    const machine::SharedCells cells(full.code());
    const machine::Awaits awaits(full.code(), cells);
    const std::vector<Value> initial = program.initial_memory();
    for (uint32_t cell = 0; cell < initial.size(); ++cell)
      (*tally)[name + " cells that are read in awaits only"] += awaits.closed(cell, initial[cell]);
  }
  if (!some) return name + ": reduction made the exploration incomplete";
  if (all->terminal_states != some->terminal_states || all->terminal_digest != some->terminal_digest)
    return fmt::format("{}: {} states without successors, with reduction {}", name, all->terminal_states,
                       some->terminal_states);
  if (all->error_reachable != some->error_reachable) return name + ": reduction changed the reachable errors";
  if (all->deadlock_reachable != some->deadlock_reachable) return name + ": reduction changed the deadlocks";
  return "";
}

int run(const RandomRuns& runs) {
  Tally tally;
  const bool agree =
      all_agree(runs, random_started, [&](const std::string& text, Rng& rng) -> std::optional<Disagreement> {
        const std::string model = runs.models[rng.below(runs.models.size())];
        const std::string what = difference(text, model, &tally);
        if (what.empty()) return std::nullopt;
        return Disagreement{
            what, [=](const std::string& less) { return !difference(less, model, nullptr).empty(); }};
      });
  print(tally);
  if (!agree) return 1;
  std::cout << runs.count << " programs: reduction loses no state without successors\n";
  return 0;
}

}  // namespace
}  // namespace fenceline::fuzz

int main(int argc, char** argv) {
  using namespace fenceline::fuzz;
  return fuzz_main(argc, argv, {.models = {"sc", "tso", "pso"}}, run, [](CommandLine& line) {
    line.option("--plant", "", [](const std::string& name) {
      plant = name;
      return true;
    });
  });
}
