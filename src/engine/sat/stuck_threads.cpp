// SPDX-License-Identifier: GPL-3.0-or-later
#include "engine/sat/stuck_threads.h"

#include <algorithm>
#include <set>

#include "env/errors.h"

namespace fenceline::sat {

StuckThreads::Answer StuckThreads::examine(Formula& formula, const Execution& execution,
                                           const ExecutionCheck& check) {
  if (check.registers.size() != execution.locations.size() ||
      check.memory.size() != overlay_.program().cell_count)
    throw Bug("an execution is not what it claims to be: " + check.why_not);
  Answer answer = Answer::kStuck;
  for (size_t t = 0; t < execution.locations.size(); ++t) {
    const ThreadId thread(t);
    const Point at = execution.locations[t];
    if (overlay_.at(thread, at).kind == InstrKind::kHalt) continue;
    switch (alone_.waits(thread, at, check.registers[t], check.memory)) {
      case property::SoloWaits::Waits::kForEver:
        break;
      case property::SoloWaits::Waits::kUndecided:
        answer = Answer::kUndecided;
        break;
      case property::SoloWaits::Waits::kGoesOn:
      case property::SoloWaits::Waits::kDoesNotCount:
        exclude(formula, thread, check);
        return Answer::kExcluded;
    }
  }
  return answer;
}

void StuckThreads::exclude(Formula& formula, ThreadId thread, const ExecutionCheck& check) {
  const Program& program = overlay_.program();
  const std::vector<Stop>& stops = formula.threads().stops[thread.index()];
  const auto stop = std::find_if(stops.begin(), stops.end(),
                                 [&](const Stop& one) { return formula.solver().value(one.here); });
  require(stop != stops.end(), "a thread of a solution has not stopped");
  Expressions expressions(program, formula.arithmetic());
  std::vector<Lit> differs{!formula.violated(), !stop->here};  // other queries may need the execution
  Point at = formula.unfolding().nodes()[stop->node].point;
  while (overlay_.inserted(thread, at)) at = overlay_.next(thread, at, 0);
  for (size_t r = 0; r < stop->registers.size(); ++r)
    if (used_.live(thread, at, RegId(r)))
      differs.push_back(!expressions.is(*stop->registers[r], check.registers[thread.index()][r]));
  std::set<ObjectId> accessed;
  for (const Instruction& i : program.thread(thread).code)
    if (i.is_memory_access()) accessed.insert(i.address.object);
  for (const ObjectId object : accessed)
    for (size_t i = 0; i < program.object(object).size(); ++i) {
      const size_t cell = program.object(object).first_cell.index() + i;
      differs.push_back(!expressions.is(formula.final_memory()[cell], check.memory[cell]));
    }
  formula.circuit().require(std::move(differs));
}

}  // namespace fenceline::sat
