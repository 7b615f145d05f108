// SPDX-License-Identifier: GPL-3.0-or-later
//
// A solution as an execution that can be scheduled: its events, the steps of its threads, and the order of the model.
#include <algorithm>

#include "engine/sat/schedule.h"
#include "engine/sat/solution.h"
#include "env/errors.h"

namespace fenceline::sat {

// The base relations of a solved execution: all of them constants.
class SolvedRelations : public BaseRelations {
 public:
  explicit SolvedRelations(const Solution& solution) : solution_(solution) {}

  size_t events() const override { return solution_.events_.size(); }
  Lit executed(size_t) const override { return kTrue; }
  Lit in_set(std::string_view, size_t) override { return kTrue; }
  Lit in_relation(std::string_view, size_t, size_t) override { return kTrue; }

  SetBounds set_bounds(std::string_view name) const override {
    require(name != "FW", "a model of a machine uses final writes");
    const SetBounds symbolic = solution_.formula_.events().set_bounds(name);
    SetBounds bounds{std::vector<bool>(events()), {}};
    for (size_t x = 0; x < events(); ++x) bounds.upper[x] = symbolic.upper[solution_.events_[x].number];
    bounds.lower = bounds.upper;
    return bounds;
  }

  RelationBounds relation_bounds(std::string_view name) const override {
    const RelationBounds symbolic = solution_.formula_.events().relation_bounds(name);
    BitMatrix pairs(events());
    for (size_t x = 0; x < events(); ++x)
      for (size_t y = 0; y < events(); ++y)
        if (symbolic.upper.at(solution_.events_[x].number, solution_.events_[y].number) && holds(name, x, y))
          pairs.set(x, y);
    return {pairs, pairs};
  }

 private:
  bool holds(std::string_view name, size_t x, size_t y) const {
    require(name != "addr" && name != "data" && name != "ctrl", "a model of a machine uses dependencies");
    if (name == "rf") return solution_.reads_from(x, y);
    if (name == "co") return solution_.coherence(x, y);
    if (name == "fr") return solution_.source_[x] == y ? false : solution_.coherence(solution_.source_[x], y);
    if (name == "waited")
      return solution_.waited_.contains({solution_.events_[x].number, solution_.events_[y].number});
    if (name == "loc") return solution_.events_[x].cell == solution_.events_[y].cell;
    return true;  // the others hold between any two executed events for which they can
  }

  const Solution& solution_;
};

Schedulable Solution::schedulable() const {
  Schedulable result;
  const std::vector<SymbolicEvent>& all = formula_.events().all();
  for (const SolvedEvent& event : events_) {
    const SymbolicEvent& symbolic = all[event.number];
    Schedulable::Event& added = result.events.emplace_back();
    added.kind = symbolic.kind;
    added.thread = symbolic.thread;
    added.cell = event.cell;
    added.value = event.value;
    if (symbolic.kind == EventKind::kFence) added.fence = symbolic.instruction->fence;
    added.of_rmw = symbolic.instruction != nullptr && symbolic.instruction->kind == InstrKind::kRmw;
    added.at_once = symbolic.section != Unfolding::kNone;
    added.look = event.number >= formula_.events().first_look();
  }
  const auto step = [&](uint32_t node, const std::vector<size_t>& events, std::optional<Value> chosen) {
    const Unfolding::Node& unfolded = formula_.unfolding().nodes()[node];
    return Schedulable::Step{unfolded.point, formula_.overlay().at(unfolded.thread, unfolded.point).kind,
                             events, chosen};
  };
  for (const Path& path : paths_) {
    Schedulable::Path& added = result.paths.emplace_back();
    for (const Step& one : path.steps) added.steps.push_back(step(one.node, one.events, one.chosen));
    if (path.reason == StopReason::kError) added.error = step(path.stop, path.at_stop, path.chosen);
  }

  Solver unused;
  Circuit circuit(unused);
  SolvedRelations relations(*this);
  RelationEncoder encoder(formula_.model(), relations, circuit);
  const Constraint* order = nullptr;
  for (const Constraint& constraint : formula_.model().constraints)
    if (constraint.kind == ConstraintKind::kAcyclic && !constraint.negated && !constraint.flag)
      order = &constraint;
  require(order != nullptr, "the model of a machine demands no order");
  const ConditionalGraph graph = encoder.graph_of(*order, false, result.node_of);
  result.successors.resize(graph.size);
  for (const ConditionalEdge& edge : graph.edges) {
    require(edge.condition.constant(), "an order that a solved execution leaves open");
    if (edge.condition == kTrue && edge.from != edge.to) result.successors[edge.from].insert(edge.to);
  }
  return result;
}

Trace Solution::trace(Buffering buffering, PropertyKind kind) const {
  return schedule(schedulable(), buffering, kind);
}

}  // namespace fenceline::sat
