// SPDX-License-Identifier: GPL-3.0-or-later
#include "sat_adapter.h"
#include "engine/sat/options.h"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <exception>
#include <map>
#include <vector>

#include "beyond_fl.h"
#include "engine/enumeration/enumerate.h"
#include "engine/outcomes/final_outcomes.h"
#include "engine/portfolio/portfolio.h"
#include "env/errors.h"
#include "env/silent_env.h"
#include "ir/analysis/constructs.h"
#include "model/cat/cat.h"
#include "model/memory_model.h"
#include "task/task.h"

namespace fenceline::fuzz {

const SatPlant kSatPlants[] = {
    {"fr-is-missing", "rfe | co | fr | (", "rfe | co | ("},
    {"coherence-is-missing", "acyclic po-loc | rmw | rf | co | fr as coherence", ""},
    {"rmw-does-not-wait", "[W | RMW]", "[W]"},
    {"own-reads-are-ordered", "rfe | co | fr | (", "rf | co | fr | ("},
    {"sync-is-missing", "| synced ", ""},
    {"sections-are-split", " \\ (SECTION * SECTION)", ""},
};
const size_t kSatPlantCount = std::size(kSatPlants);

std::vector<ExprId> observe_all(Program& program) {
  std::vector<ExprId> observed;
  const auto add = [&](const fenceline::Expr& expr) {
    program.exprs.push_back(expr);
    return ExprId(program.exprs.size() - 1);
  };
  for (size_t object = 0; object < program.objects.size(); ++object)
    for (uint32_t i = 0; i < program.objects[object].size(); ++i) {
      fenceline::Expr index, cell;
      index.imm = i;
      cell.op = ExprOp::kCell;
      cell.a = add(index);
      cell.object = ObjectId(object);
      observed.push_back(add(cell));
    }
  for (size_t thread = 0; thread < program.threads.size(); ++thread)
    for (size_t reg = 0; reg < program.threads[thread].registers.size(); ++reg) {
      if (program.threads[thread].registers[reg].temporary) continue;
      fenceline::Expr value;
      value.op = ExprOp::kThreadReg;
      value.thread = ThreadId(thread);
      value.reg = RegId(reg);
      observed.push_back(add(value));
    }
  return observed;
}

TestedModel::TestedModel(const std::string& name, const std::string& plant) : model(memory_model(name)) {
  // What values can come out of thin air is a matter of taste, and tastes differ here.
  if (name == "relaxed") {
    changed = load_cat({"relaxed.cat", std::string(shipped_cat_text("relaxed.cat")) +
                                           "acyclic addr | data | ctrl | rf as no-thin-air\n"});
    model.cat = &changed;
  }
  for (size_t i = 0; i < kSatPlantCount; ++i) {
    if (plant != kSatPlants[i].name) continue;
    std::string text(shipped_cat_text(name + ".cat"));
    const std::string what = kSatPlants[i].text;
    for (size_t at = text.find(what); at != std::string::npos; at = text.find(what))
      text.replace(at, what.size(), kSatPlants[i].instead);
    changed = load_cat({name + ".cat", text});
    model.cat = &changed;
  }
}

namespace {

constexpr uint64_t kCounting = 300'000;  // then the solver counts, and that is what is to be tried

class SatQueries {
  template <class F>
  auto with_limits(const F& query) {
    Limits limits(settings_.seconds, uint64_t{1} << 30);
    return query(limits);
  }

 public:
  SatQueries(const std::string& text, const SatSettings& settings)
      : program_(read_program(text)), observed_(observe_all(program_)), settings_(settings) {
    options_.of<sat::SatOptions>().bound = settings.bound;
  }

  LitmusOutcomes outcomes(const MemoryModel& model) {
    return with_limits([&](Limits& limits) {
      SilentEnv env(options_, limits);
      try {
        return engine::solved_outcomes(program_, model, observed_, env, kCounting);
      } catch (const Unsupported& unsupported) {
        LitmusOutcomes none;
        none.reason = unsupported.what();
        return none;
      }
    });
  }

  Verdict verdict(PropertyKind kind, const MemoryModel& model) {
    const Property property{"p", kind, ExprId(), SourcePos()};
    const FenceSet fences;
    return with_limits([&](Limits& limits) {
      return engine::verify_by("sat", {program_, fences, model, property}, options_, limits).verdict();
    });
  }

  // What is different from what check/ enumerates.
  std::string miscounted(const MemoryModel& model, const LitmusOutcomes& outcomes) {
    if (!settings_.enumerate || has_sync(program_) || has_loops(program_) || !outcomes.complete) return "";
    Limits limits(settings_.seconds, uint64_t{1} << 30);
    engine::EnumerationLimits bounds;
    bounds.limits = &limits;
    bounds.budget = 100'000;
    const engine::Enumeration all =
        engine::enumerate_executions(program_, axioms_of(model), observed_, bounds);
    if (!all.complete || all.too_long) return "";
    std::map<std::vector<Value>, uint64_t> counted;
    for (const LitmusState& state : outcomes.states) counted[state.values] = state.executions;
    std::string text;
    for (const auto& [state, executions] : all.states)
      if (counted[state] != executions)
        text += fmt::format("  {}: {} executions by sat, {} enumerated\n", fmt::join(state, " "),
                            counted[state], executions);
    for (const auto& [state, executions] : counted)
      if (executions > 0 && !all.states.contains(state))
        text +=
            fmt::format("  {}: {} executions by sat, none enumerated\n", fmt::join(state, " "), executions);
    return text.empty() ? "" : fmt::format("{}:\n{}", model.name, text);
  }

 private:
  Program program_;
  std::vector<ExprId> observed_;
  const SatSettings& settings_;
  Options options_;
};

}  // namespace

EngineAnswers sat_answers(const std::string& fl_text, unsigned models, const SatSettings& settings) {
  EngineAnswers answers;
  try {
    SatQueries queries(fl_text, settings);
    for (unsigned model = 0; model < kModels; ++model) {
      if (!(models >> model & 1)) continue;
      answers.complaint_model = model;
      const TestedModel tested(kModelNames[model], settings.plant);
      const auto start = std::chrono::steady_clock::now();
      const LitmusOutcomes outcomes = queries.outcomes(tested.model);
      answers.of_model[model].seconds =
          std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
      answers.complaint = queries.miscounted(tested.model, outcomes);
      const Verdict errors = queries.verdict(PropertyKind::kNoErrors, tested.model);
      const Verdict deadlocks = queries.verdict(PropertyKind::kNoDeadlock, tested.model);
      Answer& answer = answers.of_model[model];
      answer.complete = outcomes.complete && errors != Verdict::kUnknown;
      if (!answer.complete) answer.reason = "sat: " + (outcomes.complete ? "errors" : outcomes.reason);
      answer.knows_deadlocks = deadlocks != Verdict::kUnknown;
      for (const LitmusState& state : outcomes.states) answer.finals.insert(state.values);
      answer.error_reachable = errors == Verdict::kViolated;
      answer.deadlock_reachable = deadlocks == Verdict::kViolated;
      if (!answers.complaint.empty()) break;
    }
  } catch (const std::exception& task) {
    answers.complaint = task.what();
  }
  return answers;
}

std::string axioms_complaint(const std::string& fl_text, const SatSettings& settings) {
  try {
    SatQueries queries(fl_text, settings);
    for (const char* name : {"rmo", "relaxed", "serial", "x86tso", "armv8", "riscv", "power", "rc11"}) {
      const TestedModel tested(name, settings.plant);
      const std::string complaint = queries.miscounted(tested.model, queries.outcomes(tested.model));
      if (!complaint.empty()) return complaint;
    }
  } catch (const std::exception& task) {
    return task.what();
  }
  return "";
}

}  // namespace fenceline::fuzz
