// SPDX-License-Identifier: GPL-3.0-or-later
//
// Kuperstein, Vechev, Yahav, section 5.3. A step of a thread is preventable if it is a memory access and the
// thread has pending stores: a fence between one of those stores and the access flushes it first. In the
// fully disjunctive abstraction all labels in the buffer belong to stores that are pending, so one suffices;
// in the partially disjunctive one each of them may be absent, so all are needed.
//
// The graph has maximal elements only: a step to a state that a known one subsumes leads to that one. A state
// that is subsumed later gets an edge to what subsumes it, which nothing can prevent. But a state whose
// stores are in order is not subsumed by one that has lost the order: otherwise Fast1a could not be repaired,
// although one fence after each store is sufficient: the state without the order, which only an unfenced
// execution reaches, would be reachable with the fences as well.
#include "engine/coherence/graph_builder.h"

#include <fmt/format.h>

#include <map>
#include <utility>

#include "engine/options.h"
#include "engine/search/antichain.h"
#include "env/errors.h"
#include "machine/store_buffer/system.h"
#include "property/properties.h"

namespace fenceline::coherence {
namespace {

constexpr uint64_t kPollInterval = 256;

class GraphBuilder final : public machine::StateSink {
 public:
  GraphBuilder(const Task& task, const buffer::Abstraction& abstraction, Env& env)
      : task_(task),
        env_(env),
        system_(property::system_for(task, {.fuse_local = env.options.of<engine::StateSpaceOptions>().fusing,
                                            .reduce = false,
                                            .liveness = env.options.of<engine::StateSpaceOptions>().liveness,
                                            .abstraction = abstraction,
                                            .origins = true})),
        worker_(system_.abstract_worker()),
        antichain_(*worker_),
        monitor_(task.program, task.property) {
    worker_->record_paths(true);
    graph_.one_is_enough = abstraction.kind != buffer::Abstraction::Kind::kPartiallyDisjunctive;
    graph_.constraint_sets.emplace_back();
    sets_[{}] = LabelledGraph::kUnpreventable;
  }

  LabelledGraph build() {
    worker_->initial(*this);
    for (current_ = 0; current_ < antichain_.size(); ++current_) {
      if (!antichain_.maximal(current_)) continue;
      if (current_ % kPollInterval == 0 && out_of_resources()) break;
      expand();
    }
    graph_.states = static_cast<uint32_t>(antichain_.size());
    for (engine::Antichain::Id id = 0; id < antichain_.size(); ++id)
      if (!antichain_.maximal(id))
        graph_.edges.push_back({id, antichain_.subsumed_by(id), LabelledGraph::kUnpreventable});
    if (failure_) {  // one more state, where failing steps lead
      graph_.errors.push_back(graph_.states);
      for (LabelledGraph::Edge& edge : graph_.edges)
        if (edge.to == engine::Antichain::kNone) edge.to = graph_.states;
      ++graph_.states;
    }
    graph_.complete = graph_.why_not.empty();
    return std::move(graph_);
  }

  void expanding(const machine::StateView& view) override {
    final_ = view.final_state;
    const property::Monitor::Finding finding = monitor_.look(view);
    if (finding == property::Monitor::Finding::kViolated) graph_.errors.push_back(current_);
    if (finding == property::Monitor::Finding::kUndefined)
      graph_.why_not = "the formula of the property has no value somewhere";
  }
  void state(machine::PackedState packed) override {
    moved_ = true;
    const bool first = antichain_.size() == 0;
    const engine::Antichain::Id to =
        antichain_.insert(packed, first ? engine::Antichain::kNone : current_).id;
    if (!first && to != current_) graph_.edges.push_back({current_, to, prevention()});
  }
  void error() override {
    moved_ = true;
    if (!looks_at_errors(task_.property.kind) || antichain_.size() == 0) return;
    failure_ = true;
    graph_.edges.push_back({current_, engine::Antichain::kNone, prevention()});
  }
  void overflow() override { graph_.why_not = "a value exceeds the 64-bit integers"; }
  void buffer_full() override { throw Bug("an abstract buffer was full"); }

 private:
  void expand() {
    moved_ = false;
    pending_.assign(task_.program.threads.size(), std::nullopt);
    const machine::PackedState packed = antichain_.state(current_);
    worker_->successors(packed, *this);
    if (moved_ || final_ || task_.property.kind != PropertyKind::kNoDeadlock) return;
    if (!worker_->excused(packed)) graph_.errors.push_back(current_);
  }

  // What prevents the step that is being reported.
  uint32_t prevention() {
    std::vector<OrderConstraint> constraints;
    for (const TraceStep& step : worker_->path()) {
      if (step.kind != StepKind::kExecute) continue;
      if (!system_.code().overlay().at(step.thread, step.point).is_memory_access()) continue;
      for (const Point store : pending_stores(step.thread))
        constraints.push_back({step.thread, store, step.point});
    }
    const auto [known, fresh] = sets_.emplace(std::move(constraints), graph_.constraint_sets.size());
    if (fresh) graph_.constraint_sets.push_back(known->first);
    return known->second;
  }

  const std::vector<Point>& pending_stores(ThreadId thread) {
    auto& known = pending_[thread.index()];
    if (!known) known = worker_->pending_stores(antichain_.state(current_), thread);
    return *known;
  }

  bool out_of_resources() {
    const uint64_t bytes = antichain_.bytes_in_use() + graph_.edges.capacity() * sizeof(LabelledGraph::Edge);
    const LimitReached reached = env_.limits.poll(bytes);
    if (reached == LimitReached::kNone) return false;
    graph_.why_not =
        fmt::format("{} after {} labelled states", env_.limits.describe(reached), antichain_.size());
    return true;
  }

  const Task& task_;
  Env& env_;
  machine::System system_;
  std::unique_ptr<machine::AbstractSystem> worker_;
  engine::Antichain antichain_;
  property::Monitor monitor_;
  LabelledGraph graph_;
  std::map<std::vector<OrderConstraint>, uint32_t> sets_;
  std::vector<std::optional<std::vector<Point>>> pending_;  // by thread, of the state being expanded
  engine::Antichain::Id current_ = 0;
  bool moved_ = false;
  bool final_ = false;
  bool failure_ = false;
};

}  // namespace

LabelledGraph build_labelled_graph(const Task& task, const buffer::Abstraction& abstraction, Env& env) {
  LabelledGraph none;
  none.why_not = machine::store_buffer_unsupported_reason(task.program, task.model);
  if (!none.why_not.empty()) {
    none.why_not = "the whole-graph method " + none.why_not;
    return none;
  }
  return GraphBuilder(task, abstraction, env).build();
}

}  // namespace fenceline::coherence
