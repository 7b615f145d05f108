// SPDX-License-Identifier: GPL-3.0-or-later
#include "engine/outcomes/explored_outcomes.h"

#include <map>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "engine/executions/explorable_program.h"
#include "engine/executions/load_buffering.h"
#include "engine/executions/requirements.h"
#include "engine/sat/preserved_order.h"
#include "env/errors.h"
#include "ir/analysis/constructs.h"

namespace fenceline::engine {
namespace {

class OutcomeExploration {
 public:
  OutcomeExploration(const Program& program, const MemoryModel& model, std::span<const ExprId> observed,
                     Env& env)
      : overlay_(program, no_fences_), axioms_(axioms_of(model)), observed_(observed), env_(env) {}

  ExploredOutcomes run() {
    if (has_sync(overlay_))
      return not_possible("`sync` waits for the stores of all threads, which axioms cannot express");
    if (const std::string why = executions::unsuitable_constraint(axioms_); !why.empty())
      return not_possible("the model cannot be explored: " + why);
    if (!sat::forbids_load_buffering(axioms_) && executions::may_buffer_loads(overlay_, axioms_))
      return {ExploredOutcomes::End::kLoadBuffering, {}};
    try {
      return explore_all();
    } catch (const Unsupported& unsupported) {
      return not_possible(unsupported.what());
    }
  }

 private:
  // Executions that fail have no final state, and other code looks for them: a thread that fails just does not go on.
  ExploredOutcomes explore_all() {
    const executions::ExplorableProgram program(overlay_, axioms_, nullptr);
    const executions::ExplorationResult result =
        explore(program.code(), program.plan(),
                {.stop_at_errors = false,
                 .limits = &env_.limits,
                 .restart = [this] { states_.clear(); },
                 .jobs = env_.options.jobs},
                [this](const executions::Leaf& leaf) { return visit(leaf); });
    if (undefined_) return not_possible("what is observed has no value in some execution");
    if (result.too_large) return not_possible("a value leaves the 64-bit integers");
    if (result.too_long) return not_possible("some execution is too long to be explored");
    LimitReached limit = result.limit;
    if (limit == LimitReached::kNone) {
      program.traversals(result, false, env_);
      if (result.may_miss_flags) {
        const executions::ExplorationResult more =
            program.explore_for_flags(false, env_, [this](const executions::Leaf& leaf) {
              note_flags(leaf);
              return true;
            });
        if (more.too_long) return not_possible("some execution is too long to be explored");
        limit = more.limit;
      }
    }
    return done(limit);
  }

  bool visit(const executions::Leaf& leaf) {
    if (leaf.kind != executions::LeafKind::kComplete) return true;
    state_.clear();
    for (const ExprId id : observed_) {
      const Evaluated value = executions::value_at(leaf, overlay_.program(), id);
      undefined_ = undefined_ || !value.ok();
      state_.push_back(value.value);
    }
    ++states_[state_];
    note_flags(leaf);
    return !undefined_;
  }

  void note_flags(const executions::Leaf& leaf) {
    if (leaf.kind != executions::LeafKind::kComplete) return;
    for (const size_t flag : leaf.flags) flags_.insert(axioms_.constraints[flag].name);
  }

  ExploredOutcomes done(LimitReached limit) const {
    ExploredOutcomes result;
    for (const auto& [state, executions] : states_) result.outcomes.states.push_back({state, executions});
    result.outcomes.flags.assign(flags_.begin(), flags_.end());
    result.outcomes.engine = "executions";
    if (limit != LimitReached::kNone) result.outcomes.reason = env_.limits.describe(limit);
    result.outcomes.complete = result.outcomes.reason.empty();
    return result;
  }

  static ExploredOutcomes not_possible(std::string why) {
    ExploredOutcomes result;
    result.end = ExploredOutcomes::End::kNotPossible;
    result.outcomes.engine = "executions";
    result.outcomes.reason = std::move(why);
    return result;
  }

  const FenceSet no_fences_;
  const Overlay overlay_;
  const CatModel axioms_;
  const std::span<const ExprId> observed_;
  Env& env_;
  std::map<std::vector<Value>, uint64_t> states_;
  std::set<std::string> flags_;
  std::vector<Value> state_;  // of the execution at hand
  bool undefined_ = false;
};

}  // namespace

ExploredOutcomes explored_outcomes(const Program& program, const MemoryModel& model,
                                   std::span<const ExprId> observed, Env& env) {
  return OutcomeExploration(program, model, observed, env).run();
}

}  // namespace fenceline::engine
