// SPDX-License-Identifier: GPL-3.0-or-later
#include "engine/explicit/outcomes.h"

#include "engine/explicit/search.h"
#include "semantics/system.h"

namespace fenceline {

Outcomes collect_outcomes(const Program& program, const FenceSet& fences, const MemoryModel& model,
                          Env& env) {
  Observed observed;
  for (size_t t = 0; t < program.threads.size(); ++t)
    for (size_t r = 0; r < program.threads[t].registers.size(); ++r)
      if (!program.threads[t].registers[r].temporary) observed.at_end.push_back({ThreadId(t), RegId(r)});

  const System system(program, fences, model, observed, Visibility{},
                      {.reduce = env.options.reduction, .buffer_limit = env.options.buffer_limit});
  Search search(system, program, nullptr, {static_cast<unsigned>(env.options.jobs), 0}, env.limits,
                env.progress);
  Outcomes outcomes;
  search.on_final = [&](const StateView& view) {
    std::vector<Value> values(view.memory, view.memory + program.cell_count);
    for (const ThreadReg& r : observed.at_end)
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

}  // namespace fenceline
