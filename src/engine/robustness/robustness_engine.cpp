// SPDX-License-Identifier: GPL-3.0-or-later
//
// The robustness engine: a program is robust against a memory model if each of its executions there is one of SC, too.
// Then the SC machine decides what holds on the model, and it needs no bound on loops. Most locks are robust: that is what
// their acquires and releases are for. The method is that of Lahav and Margalit (Robustness against release/acquire
// semantics, PLDI 2019), with other orders and fences.
//
// Suppose that some execution is not one of SC, and take a smallest one. Since po | rf has no cycle, it has an event
// that is last in this order. Without it, the execution is one of SC: the machine has a run of it, after which the
// thread of that event is about to execute it. So it is enough to look at all runs of the machine, and at what the next
// access of each thread could do there that the machine does not: reading an older write, or writing earlier in coherence
// order. On SC it is what would close a cycle of po | rf | co | fr. In the model it is possible unless it contradicts what
// happened before. Views beside the states of the machine keep track of both (views.h).
//
// What the views say happened before is less than what RC11 says (nothing is made of writes of the same thread in a release
// sequence, or of the order of a seq_cst fence and a seq_cst access). That only makes the engine find differences where
// there are none. It never says that a program is not robust, but that it cannot show it.
#include "engine/robustness/robustness_engine.h"

#include <fmt/format.h>

#include <utility>

#include "base/counted.h"
#include "engine/executions/load_buffering.h"
#include "engine/options.h"
#include "engine/robustness/access_strength.h"
#include "engine/robustness/awaited_loads.h"
#include "engine/robustness/monitored_system.h"
#include "engine/sat/preserved_order.h"
#include "engine/search/search.h"
#include "env/errors.h"
#include "property/properties.h"

namespace fenceline::robustness {
namespace {

class RobustnessEngine final : public engine::Engine {
 public:
  std::string_view name() const override { return "robustness"; }
  std::string_view summary() const override {
    return "shows that all executions are those of sc, and explores the states of that machine; decides "
           "locks "
           "without a bound on loops (rc11 armv8 riscv power)";
  }
  std::string unsupported_reason(const Task& task) const override;
  engine::Priority priority(const Task& task, const engine::Facts& facts) const override;
  Result run(const Task& task, Env& env) const override;
};

std::string RobustnessEngine::unsupported_reason(const Task& task) const {
  if (std::string why = engine::unsupported_by_executions(*this, task); !why.empty()) return why;
  if (std::string why = engine::liveness_unsupported(*this, task); !why.empty()) return why;
  if (!strengths_known(task.model))
    return fmt::format("the robustness engine knows rc11, armv8, riscv and power, and not {}",
                       task.model.name);
  for (const Thread& thread : task.program.threads)
    for (const Instruction& instruction : thread.code)
      if (has_unknown_tag(instruction, task.model))
        return fmt::format("the robustness engine does not know the instruction in line {}",
                           instruction.pos.line);
  if (const std::string why = machine::store_buffer_unsupported_reason(task.program, memory_model("sc"));
      !why.empty())
    return fmt::format("the robustness engine {}", why);
  return "";
}

engine::Priority RobustnessEngine::priority(const Task& task, const engine::Facts& facts) const {
  if (facts.many_threads())
    return {engine::Priority::Rank::kDoubtful, "many threads: a machine may have more states than executions",
            engine::Priority::Speed::kSlow};
  engine::Priority priority = Engine::priority(task, facts);
  if (priority.rank == engine::Priority::Rank::kGood) priority.speed = engine::Priority::Speed::kFast;
  return priority;
}

std::string sentence(const Task& task, const Difference& found) {
  const Instruction& instruction = Overlay(task.program, task.fences).at(found.thread, found.point);
  const std::string where = fmt::format("{} in line {}", task.program.thread(found.thread).name,
                                        task.program.line_name(instruction.pos));
  const std::string cell = task.program.cell_name(found.cell);
  switch (found.why) {
    case Difference::Why::kOlderRead:
      return fmt::format("{} may read an older value of {} than on sc", where, cell);
    case Difference::Why::kEarlierWrite:
      return fmt::format("{} may write {} earlier than on sc", where, cell);
    case Difference::Why::kRace:
      return fmt::format("{} may race for {}", where, cell);
    case Difference::Why::kSection:
      return fmt::format("{} is in an atomic section with several accesses", where);
  }
  throw Bug("no such reason");
}

Result conclusion(const engine::Findings& findings, const Env& env) {
  Result result;
  if (findings.found) {
    result = unknown_result(UnknownReason::kImprecise,
                            "the property is violated on sc already, and this engine has no counterexamples");
  } else if (findings.complete()) {
    result.conclusion = Proof();
    result.reason = fmt::format("every execution is one of sc, and all {} were explored",
                                counted(findings.states, "state"));
  } else {
    result =
        incomplete_result(findings, env.limits,
                          fmt::format("after {}; none differs from sc", counted(findings.states, "state")));
  }
  result.statistics.states = findings.states;
  result.statistics.transitions = findings.transitions;
  return result;
}

// Explores the product of the SC machine and the views.
Result explore(const Task& task, Env& env, bool reduce) {
  const Program program = with_awaits(task.program, task.fences);
  const Task on_sc{program, task.fences, memory_model("sc"), task.property};
  const auto& options = env.options.of<engine::StateSpaceOptions>();
  const machine::System system =
      property::system_for(on_sc, {.fuse = options.fusing, .reduce = reduce, .liveness = options.liveness});
  const SharedCells cells(system.code().overlay());
  const MonitoredSource monitored(system, cells);
  try {
    engine::Search search(monitored, program, &task.property, {static_cast<unsigned>(env.options.jobs), 0},
                          env.limits, env.progress);
    search.prediction = env.prediction;
    return conclusion(search.run(), env);
  } catch (const NotRobust& found) {
    return unknown_result(UnknownReason::kImprecise,
                          "the program may not be robust: " + sentence(task, found.difference()));
  }
}

Result decide(const Task& task, Env& env) {
  const CatModel axioms = axioms_of(task.model);
  const Overlay overlay(task.program, task.fences);
  if (!sat::forbids_load_buffering(axioms) && executions::may_buffer_loads(overlay, axioms))
    return unknown_result(UnknownReason::kImprecise, "loads may be buffered, which sc does not allow");
  const auto& options = env.options.of<engine::StateSpaceOptions>();
  Result result = explore(task, env, options.reduction);
  if (options.check_reduction && options.reduction && result.proof() != nullptr) {
    const Result full = explore(task, env, false);
    require(full.proof() != nullptr || full.is_unknown(UnknownReason::kLimit),
            "partial-order reduction changed what is robust");
    result.statistics.figures.emplace_back("full_states", static_cast<double>(full.statistics.states));
  }
  return result;
}

Result RobustnessEngine::run(const Task& task, Env& env) const {
  return engine::measured([&] { return decide(task, env); });
}

}  // namespace

std::unique_ptr<engine::Engine> make_robustness_engine() { return std::make_unique<RobustnessEngine>(); }

}  // namespace fenceline::robustness
