// SPDX-License-Identifier: GPL-3.0-or-later
#include "engine/executions/explorable_program.h"

#include <fmt/format.h>

#include <map>
#include <utility>

#include "base/counted.h"
#include "engine/sat/formula.h"
#include "engine/sat/monotone.h"
#include "engine/sat/preserved_order.h"
#include "env/errors.h"
#include "ir/analysis/constructs.h"

namespace fenceline::executions {

ExplorableProgram::ExplorableProgram(const Overlay& overlay, const CatModel& axioms, const Property* property)
    : overlay_(overlay),
      axioms_(axioms),
      plan_(axioms, overlay),
      used_(sat::liveness_for(overlay.program(), property, Reads::kUsed)),
      wait_loops_(overlay, used_, sat::observed_cells(overlay.program(), property)),
      code_(overlay, plan_.uses_dependencies(), idle_iterations()),
      symmetric_(property == nullptr || !sat::reads_own_last_write(axioms)
                     ? SymmetricThreads(overlay.program())
                     : SymmetricThreads(overlay, *property, axioms.shipped)) {}

IdleIterations ExplorableProgram::idle_iterations() const {
  IdleIterations idle;
  if (!has_loops(overlay_.program())) return idle;
  // A flag that an access of a dropped iteration raises must still be raised where the iteration is executed once.
  if (!sat::allows_omitting_events(axioms_) || (sat::has_flags(axioms_) && !sat::flags_stay_raised(axioms_)))
    return idle;
  idle.wait_loops = &wait_loops_;
  idle.omit_dead_writes = sat::allows_omitting_writes(axioms_) && sat::reads_own_last_write(axioms_);
  if (!sat::has_sections_of_several_events(overlay_))
    idle.same_value = [this, known = std::map<std::pair<const Instruction*, sat::Readers>, sat::SameValue>()](
                          const Instruction& rmw, sat::Readers readers) mutable {
      if (readers == sat::Readers::kOfOtherThreads && !sat::drops_repeated_iterations(axioms_))
        return sat::SameValue::kCounts;
      const auto [entry, is_new] = known.try_emplace({&rmw, readers}, sat::SameValue::kCounts);
      if (is_new) entry->second = sat::same_value(axioms_, rmw, readers);
      return entry->second;
    };
  return idle;
}

ExplorationResult ExplorableProgram::explore_for_flags(bool stop_at_errors, Env& env,
                                                       const LeafVisitor& visit,
                                                       const LeafVisitor& follow_up) const {
  IdleIterations idle = idle_iterations();
  idle.keep_one = true;
  const ThreadCode code(overlay_, plan_.uses_dependencies(), std::move(idle));
  return explore(code, plan_,
                 {.stop_at_errors = stop_at_errors,
                  .prune_waits = false,
                  .symmetric = &symmetric_,
                  .limits = &env.limits,
                  .follow_up = follow_up,
                  .jobs = env.options.jobs},
                 visit);
}

uint64_t ExplorableProgram::traversals(const ExplorationResult& first, bool stop_at_errors, Env& env) const {
  return explore_again(first, {.stop_at_errors = stop_at_errors, .symmetric = &symmetric_}, env,
                       [](const Leaf& leaf) { return leaf.kind != LeafKind::kFailed; });
}

uint64_t ExplorableProgram::traversals_for_waits(const ExplorationResult& first, Env& env,
                                                 const LeafVisitor& visit) const {
  return explore_again(first, {.stop_at_errors = false, .looks_for_waits = true}, env, visit);
}

uint64_t ExplorableProgram::explore_again(const ExplorationResult& first, ExplorationOptions options,
                                          Env& env, const LeafVisitor& visit) const {
  constexpr uint64_t kCheap = 20'000;
  const Certify certify = env.options.certify;
  if (certify == Certify::kNever || (certify == Certify::kAuto && first.graphs > kCheap)) return 1;
  options.reversed = true;
  options.limits = &env.limits;
  options.jobs = env.options.jobs;
  ExplorationResult again;
  try {
    again = explore(code_, plan_, options, visit);
  } catch (const Unsupported&) {  // it may be nested more deeply than the first one
    return 1;
  }
  if (again.limit != LimitReached::kNone || again.too_long) return 1;
  if (!again.finished || again.executions != first.executions || again.fingerprint != first.fingerprint)
    throw Bug(fmt::format("{} in one order of threads, {} in the other",
                          counted(first.executions, "execution"), again.executions));
  return 2;
}

Evaluated value_at(const Leaf& leaf, const Program& program, ExprId expression) {
  return evaluate(program, expression, [&](const Expr& e, Value index) -> Value {
    if (e.op == ExprOp::kCell)
      return leaf.cell(CellId(program.object(e.object).first_cell.index() + static_cast<size_t>(index)));
    if (e.op == ExprOp::kAt) return leaf.location(e.thread) == e.point;
    return leaf.reg(e.thread, RegId(e.reg.index() + static_cast<size_t>(index)));
  });
}

}  // namespace fenceline::executions
