// SPDX-License-Identifier: GPL-3.0-or-later
#include "engine/coherence/exploration.h"

#include <fmt/format.h>

#include <utility>

#include "check/check_certificate.h"
#include "env/errors.h"

namespace fenceline::coherence {
namespace {

constexpr uint64_t kPollInterval = 256;  // expansions between polls of the limits

}  // namespace

class AbstractExploration::Sink final : public machine::StateSink {
 public:
  explicit Sink(AbstractExploration& search) : search_(search) {}

  engine::Antichain::Id parent = engine::Antichain::kNone;
  bool moved = false;  // has the state being expanded a successor?
  bool final_state = false;

  void expanding(const machine::StateView& view) override {
    final_state = view.final_state;
    const property::Monitor::Finding finding = search_.monitor_.look(view);
    if (finding == property::Monitor::Finding::kViolated) found(false);
    if (finding == property::Monitor::Finding::kUndefined) search_.end_.undefined_formula = true;
  }
  void state(machine::PackedState packed) override {
    ++search_.transitions_;
    moved = true;
    if (!search_.worker_->violated_orderings().empty()) {
      search_.deferred_.push_back({machine::KeptState(packed), parent});
      return;
    }
    search_.enqueue(packed, parent);
  }
  void buffer_full() override { throw Bug("an abstract buffer was full"); }
  void error() override {
    moved = true;
    if (looks_at_errors(search_.task_.property.kind)) found(true);
  }
  void overflow() override {
    moved = true;
    search_.end_.overflow = true;
  }

  void found(bool failing_step) {
    if (search_.found_) return;
    search_.found_ = parent;
    search_.found_failing_step_ = failing_step;
  }

 private:
  AbstractExploration& search_;
};

AbstractExploration::AbstractExploration(const Task& task, const ExplorationOptions& options, Env& env)
    : task_(task),
      env_(env),
      options_(options),
      system_(property::system_for(task, {.fuse = options.fuse,
                                          .reduce = options.reduce,
                                          .liveness = options.liveness,
                                          .abstraction = options.abstraction})),
      worker_(system_.abstract_worker()),
      antichain_(*worker_),
      monitor_(task.program, task.property) {}

void AbstractExploration::enqueue(machine::PackedState packed, engine::Antichain::Id parent) {
  const engine::Antichain::Inserted inserted = antichain_.insert(packed, parent);
  if (inserted.fresh) queue_.push_back(inserted.id);
}

// Level by level of the cost; within one, first in, first out.
void AbstractExploration::run() {
  Sink sink(*this);
  worker_->initial(sink);
  while (!violated() && !out_of_resources()) {
    if (next_ == level_end_) level_end_ = queue_.size();
    if (next_ < queue_.size()) {
      expand(queue_[next_++], sink);
    } else if (!deferred_.empty()) {
      queue_.clear();
      next_ = level_end_ = 0;
      for (const Deferred& late : std::exchange(deferred_, {})) enqueue(late.state.packed(), late.parent);
    } else {
      break;
    }
  }
  env_.progress.clear();
  require(antichain_.size() > 0, "a search explored nothing");
}

void AbstractExploration::expand(engine::Antichain::Id id, Sink& sink) {
  // A state that was found meanwhile and subsumes this one is in the queue. If it comes only a level later,
  // it would be too late for the shortest counterexample.
  if (!antichain_.maximal(id) && antichain_.subsumed_by(id) <= queue_[level_end_ - 1]) return;
  sink.parent = id;
  sink.moved = false;
  const machine::PackedState packed = antichain_.state(id);
  worker_->successors(packed, sink);
  if (sink.moved || sink.final_state || task_.property.kind != PropertyKind::kNoDeadlock) return;
  if (!worker_->excused(packed)) sink.found(false);
}

bool AbstractExploration::out_of_resources() {
  if (options_.state_budget != 0 && antichain_.size() > options_.state_budget) end_.out_of_states = true;
  if (++polled_ % kPollInterval == 0) {
    end_.limit = env_.limits.poll(antichain_.bytes_in_use() + deferred_.size() * 2 * sizeof(Deferred));
    if (env_.progress.due())
      env_.progress.show(fmt::format("{}: {} states, {} maximal, {} in the queue",
                                     to_string(options_.abstraction), antichain_.size(),
                                     antichain_.maximal_elements(), queue_.size() - next_));
  }
  return end_.limit != LimitReached::kNone || end_.out_of_states;
}

machine::Path AbstractExploration::path() {
  require(violated(), "there is no path without a violation");
  return machine::path_along(*worker_, antichain_.chain(*found_), found_failing_step_);
}

std::optional<engine::Concretised> AbstractExploration::concretise(std::string& why_not) {
  return fenceline::engine::concretise(task_, path(), env_, why_not);
}

Certificate AbstractExploration::checked_certificate() {
  CoherenceCertificate certificate;
  for (engine::Antichain::Id id = 0; id < antichain_.size(); ++id)
    if (antichain_.maximal(id)) certificate.states.push_back(spelled_out(id));
  const check::CertificateCheck check = check::check_certificate(task_, certificate, env_.limits);
  if (!check.ok && !check.gave_up) throw Bug("a certificate is rejected: " + check.why_not);
  return {"antichain of abstract states", certificate.states.size(), check.ok};
}

CoherenceState AbstractExploration::spelled_out(engine::Antichain::Id id) {
  machine::AbstractSnapshot snapshot = worker_->describe(antichain_.state(id));
  CoherenceState state;
  for (const uint32_t point : snapshot.locations) state.locations.emplace_back(point);
  state.memory = std::move(snapshot.memory);
  state.registers = std::move(snapshot.registers);
  state.buffers = std::move(snapshot.buffers);
  return state;
}

}  // namespace fenceline::coherence
