// SPDX-License-Identifier: GPL-3.0-or-later
#include "engine/explicit/outcomes.h"

#include "engine/options.h"
#include "engine/search/search.h"
#include "machine/deferral_queue/queue_system.h"
#include "machine/store_buffer/system.h"

namespace fenceline::engine {

namespace {

std::vector<ThreadReg> registers_to_show(const Program& program) {
  std::vector<ThreadReg> registers;
  for (size_t t = 0; t < program.threads.size(); ++t)
    for (size_t r = 0; r < program.threads[t].registers.size(); ++r)
      if (!program.threads[t].registers[r].temporary) registers.push_back({ThreadId(t), RegId(r)});
  return registers;
}

Outcomes collect(const machine::SystemSource& system, const Program& program, Env& env) {
  Search search(system, program, nullptr, {static_cast<unsigned>(env.options.jobs), 0}, env.limits,
                env.progress);
  Outcomes outcomes;
  search.on_final = [&, shown = registers_to_show(program)](const machine::StateView& view) {
    std::vector<Value> values(view.memory, view.memory + program.cell_count);
    for (const ThreadReg& r : shown)
      values.push_back(view.registers[view.first_register[r.thread.index()] + r.reg.index()]);
    outcomes.finals.insert(std::move(values));
  };
  const Findings findings = search.run();
  outcomes.complete = findings.complete();
  outcomes.error_reachable = findings.error_reachable;
  outcomes.deadlock_reachable = findings.deadlock_reachable;
  outcomes.states = findings.states;
  return outcomes;
}

}  // namespace

Outcomes collect_outcomes(const Program& program, const FenceSet& fences, const MemoryModel& model,
                          Env& env) {
  const auto& options = env.options.of<StateSpaceOptions>();
  const machine::System system(program, fences, model, {{}, registers_to_show(program)},
                               machine::Visibility{},
                               {.reduce = options.reduction, .buffer_limit = options.buffer_limit});
  return collect(system, program, env);
}

Outcomes collect_queue_outcomes(const Program& program, const FenceSet& fences, const ReorderTable& table,
                                Env& env) {
  const auto& options = env.options.of<StateSpaceOptions>();
  const machine::QueueSystem system(
      program, fences, table, nullptr, {{}, registers_to_show(program)},
      {.liveness = options.liveness, .run_ahead = !options.reduction, .queue_limit = options.buffer_limit});
  return collect(system, program, env);
}

}  // namespace fenceline::engine
