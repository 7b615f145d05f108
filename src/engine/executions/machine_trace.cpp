// SPDX-License-Identifier: GPL-3.0-or-later
//
// The steps of the threads are known once they are followed, and the order of the model by evaluating its last `acyclic`
// on the execution; engine/sat/schedule.h does the rest.
#include "engine/executions/machine_trace.h"

#include <map>
#include <numeric>
#include <utility>
#include <vector>

#include "check/axiomatic/base_relations.h"
#include "check/axiomatic/cat_evaluator.h"
#include "engine/executions/followed_threads.h"
#include "engine/sat/schedule.h"
#include "env/errors.h"
#include "model/memory_model.h"

namespace fenceline::executions {
namespace {

class TraceBuilder {
 public:
  TraceBuilder(const Task& task, const Execution& execution, const ExecutionCheck& check)
      : overlay_(task.program, task.fences),
        execution_(execution),
        axioms_(axioms_of(task.model)),
        structure_(has_operations(task.program)),
        threads_(follow_threads(overlay_, execution, check.failing)) {
    std::vector<CellId> initial;
    for (const Event& event : execution.events)
      if (!event.thread.valid()) initial.push_back(event.cell);
    structure_.begin(initial);
    for (const FollowedThread& thread : threads_) structure_.add_thread(thread.end.events());
    require(structure_.size() == execution.events.size(), "events that were checked are not there");
  }

  sat::Schedulable run() {
    add_events();
    for (const FollowedThread& thread : threads_) {
      sat::Schedulable::Path& path = result_.paths.emplace_back();
      for (const FollowedStep& one : thread.steps) path.steps.push_back(step(one));
      if (thread.error) path.error = step(*thread.error);
    }
    add_order();
    return std::move(result_);
  }

 private:
  // Of those that happen at once, the first one: the events of a read-modify-write or of an atomic section.
  void add_events() {
    result_.node_of.resize(structure_.size());
    std::iota(result_.node_of.begin(), result_.node_of.end(), 0U);
    std::map<std::pair<ThreadId, uint32_t>, uint32_t> sections, instructions;
    for (uint32_t e = 0; e < structure_.size(); ++e) {
      const check::EventStructure::Item& item = structure_.item(e);
      sat::Schedulable::Event& event = result_.events.emplace_back();
      event.kind = item.kind;
      event.thread = item.thread;
      event.cell = item.cell;
      event.value = execution_.events[e].value;
      if (item.initial()) continue;
      if (item.kind == EventKind::kFence) event.fence = item.event->instruction->fence;
      event.of_rmw = item.event->of_rmw();
      event.at_once = event.of_rmw || item.event->section != 0;
      auto& same = item.event->section != 0 ? sections : instructions;
      const uint32_t name = item.event->section != 0 ? item.event->section : item.event->position;
      result_.node_of[e] = same.emplace(std::pair(item.thread, name), e).first->second;
    }
  }

  static sat::Schedulable::Step step(const FollowedStep& followed) {
    sat::Schedulable::Step step{followed.point, followed.kind, {}, followed.chosen};
    for (size_t i = 0; i < followed.events; ++i) step.events.push_back(followed.first_event + i);
    return step;
  }

  void add_order() {
    const Constraint* order = nullptr;
    for (const Constraint& constraint : axioms_.constraints)
      if (constraint.kind == ConstraintKind::kAcyclic && !constraint.negated && !constraint.flag)
        order = &constraint;
    require(order != nullptr, "the model of a machine demands no order");
    check::CatEvaluator evaluator(axioms_);
    structure_.fill_static(evaluator);
    check::DynamicRelations(structure_.size(), execution_.reads_from, execution_.coherence).fill(evaluator);
    require(evaluator.violated().empty(), "an execution that the model allows is not consistent");
    const check::Relation& before = evaluator.relation(order->term);
    result_.successors.resize(structure_.size());
    for (size_t x = 0; x < structure_.size(); ++x)
      for (size_t y = 0; y < structure_.size(); ++y)
        if (before.has(x, y) && result_.node_of[x] != result_.node_of[y])
          result_.successors[result_.node_of[x]].insert(result_.node_of[y]);
  }

  const Overlay overlay_;
  const Execution& execution_;
  const CatModel axioms_;
  check::EventStructure structure_;
  const std::vector<FollowedThread> threads_;
  sat::Schedulable result_;
};

}  // namespace

Trace machine_trace(const Task& task, const Execution& execution, const ExecutionCheck& check) {
  const sat::Schedulable schedulable = TraceBuilder(task, execution, check).run();
  return sat::schedule(schedulable, task.model.buffering, task.property.kind);
}

}  // namespace fenceline::executions
