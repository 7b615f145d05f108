// SPDX-License-Identifier: GPL-3.0-or-later
//
// The deferral-queue machine on random programs: against the store buffers where a model has both, and against
// the axioms where it has none. Final states must be the same, and so must be whether something can fail:
// with axioms, in one direction only, since a thread that fails there has no stores behind the failing step.
// The engine looks for errors, too, so that every error is replayed. Programs divide by what they load.
//
// --plant lost-errors: the queues keep quiet about errors, which must be noticed.
#include <fmt/format.h>

#include <algorithm>
#include <exception>
#include <set>
#include <string_view>

#include "beyond_fl.h"
#include "engine/explicit/outcomes.h"
#include "engine/options.h"
#include "engine/outcomes/final_outcomes.h"
#include "engine/portfolio/portfolio.h"
#include "env/silent_env.h"
#include "generator.h"
#include "machine/deferral_queue/queue_support.h"
#include "machine/deferral_queue/queue_system.h"
#include "model/memory_model.h"
#include "random_runs.h"
#include "sat_adapter.h"

namespace fenceline::fuzz {
namespace {

struct Seen {
  std::set<std::vector<Value>> finals;
  bool error = false;
};

bool lost_errors = false;  // --plant

constexpr double kSeconds = 1;
constexpr uint64_t kBytes = uint64_t{1} << 30;

std::optional<Seen> seen(engine::Outcomes outcomes) {
  if (!outcomes.complete) return std::nullopt;
  return Seen{std::move(outcomes.finals), outcomes.error_reachable};
}

// None: the task is too large, or not for this machine.
std::optional<Seen> by_queues(const Program& program, const MemoryModel& model, bool reduction) {
  const ReorderTable table = table_of(model).value();
  if (!machine::queue_unsupported_reason(program, table).empty()) return std::nullopt;
  Options options;
  options.of<engine::StateSpaceOptions>().reduction = reduction;
  Limits limits(kSeconds, kBytes);
  SilentEnv env(options, limits);
  return seen(engine::collect_queue_outcomes(program, FenceSet(), table, env));
}

std::optional<Seen> by_buffers(const Program& program, const MemoryModel& model) {
  const Options options;
  Limits limits(kSeconds, kBytes);
  SilentEnv env(options, limits);
  return seen(engine::collect_outcomes(program, FenceSet(), model, env));
}

// Whether something can fail. Throws Bug if the trace of the engine does not replay.
Verdict errors_by(std::string_view engine, const Program& program, const MemoryModel& model, bool reduction) {
  const Property errors{"errors", PropertyKind::kNoErrors, ExprId(), SourcePos()};
  const FenceSet fences;
  const Task task{program, fences, model, errors};
  Options options;
  options.of<engine::StateSpaceOptions>().reduction = reduction;
  Limits limits(kSeconds, kBytes);
  return engine::verify_by(engine, task, options, limits).verdict();
}

// Errors are none of the axioms' final states.
std::optional<Seen> by_axioms(const Program& program, const MemoryModel& model) {
  Program observable = program;
  const std::vector<ExprId> observed = observe_all(observable);
  const Options options;
  Limits limits(kSeconds, kBytes);
  SilentEnv env(options, limits);
  const LitmusOutcomes outcomes = engine::solved_outcomes(observable, model, observed, env);
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
  const bool buffers = model.buffering != Buffering::kNoMachine;
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

// Errors alone: more programs have an answer to that.
std::string difference_in_errors(const std::string& text, const std::string& name, uint64_t& errors) {
  const MemoryModel& model = memory_model(name);
  const Program program = read_program(text);
  Verdict verdict = Verdict::kUnknown;
  for (const bool reduction : {true, false}) {
    try {
      const Verdict now = errors_by("queue", program, model, reduction);
      if (verdict != Verdict::kUnknown && now != Verdict::kUnknown && now != verdict)
        return fmt::format("{}: errors with and without reduction are different", name);
      if (now != Verdict::kUnknown) verdict = now;
    } catch (const Bug& bug) {
      return fmt::format("{}: {}", name, bug.what());
    }
  }
  if (verdict == Verdict::kUnknown) return "";
  errors += verdict == Verdict::kViolated;
  if (lost_errors) verdict = Verdict::kVerified;
  if (model.buffering != Buffering::kNoMachine) {
    const std::optional<Seen> other = by_buffers(program, model);
    if (other && other->error != (verdict == Verdict::kViolated))
      return fmt::format("{}: only {} fail", name, other->error ? "the store buffers" : "queues");
  } else if (verdict == Verdict::kVerified && errors_by("sat", program, model, true) == Verdict::kViolated) {
    return fmt::format("{}: only the axioms fail", name);
  }
  return "";
}

// Some operands become quotients.
void divide(Expr& expr, Rng& rng, size_t registers) {
  if (expr.op == Op::kReg || expr.op == Op::kConst) {
    if (!rng.chance(8)) return;
    const Expr by = reg(static_cast<int>(rng.below(registers)));
    expr = node(rng.chance(80) ? Op::kDiv : Op::kMod, {expr, by});
    return;
  }
  for (size_t i = 0; i < expr.args.size(); ++i)
    if (expr.op != Op::kLvalue && (!is_rmw(expr.op) || i > 0)) divide(expr.args[i], rng, registers);
}

void divide(Block& block, Rng& rng, size_t registers) {
  for (Stmt& statement : block) {
    divide(statement.value, rng, registers);
    for (Block& inner : statement.blocks) divide(inner, rng, registers);
  }
}

std::string program_text(Rng& rng) {
  constexpr unsigned kLoops = 3;  // percent
  const Family family = rng.below(100) < kLoops ? Family::kLoops : Family::kLoopFree;
  MiniProgram program = generate(family, rng);
  if (rng.chance(50))
    for (MiniThread& thread : program.threads) divide(thread.body, rng, thread.regs.size());
  return well_formed(program) ? print_fl(program) : "";
}

int run(const RandomRuns& runs) {
  uint64_t compared = 0, errors = 0;
  const auto compare = [&](const std::string& text, Rng&) -> std::optional<Disagreement> {
    for (const std::string& model : runs.models) {
      std::string what = difference(text, model, compared);
      const bool in_errors = what.empty();
      if (in_errors) what = difference_in_errors(text, model, errors);
      if (what.empty()) continue;
      return Disagreement{what, [model, in_errors](const std::string& other) {
                            uint64_t ignored = 0;
                            try {
                              return !(in_errors ? difference_in_errors(other, model, ignored)
                                                 : difference(other, model, ignored))
                                          .empty();
                            } catch (const std::exception&) {
                              return false;
                            }
                          }};
    }
    return std::nullopt;
  };
  const bool agree = all_agree(runs, program_text, compare);
  fmt::print("{} comparisons, {} errors replayed\n", compared, errors);
  return agree ? 0 : 1;
}

}  // namespace
}  // namespace fenceline::fuzz

int main(int argc, char** argv) {
  using namespace fenceline::fuzz;
  return fuzz_main(argc, argv, {.models = {"sc", "tso", "pso", "rmo", "rmo-ctrl"}}, run,
                   [](CommandLine& line) {
                     line.option("--plant", "",
                                 [](const std::string& what) { return lost_errors = what == "lost-errors"; });
                   });
}
