// SPDX-License-Identifier: GPL-3.0-or-later
#include "engine/explicit/path_finder.h"

#include <algorithm>
#include <optional>

#include "env/errors.h"

namespace fenceline {
namespace {

// Catches the path to one successor: the given state, or (no state given) the first failing step.
class Catcher final : public StateSink {
 public:
  Catcher(TransitionSystem& system, std::optional<PackedState> target) : system_(system), target_(target) {}

  void expanding(const StateView&) override {}
  void buffer_full() override {}
  void state(PackedState packed) override {
    if (target_ && std::ranges::equal(packed, *target_)) keep();
  }
  void error() override {
    if (!target_) keep();
  }
  void overflow() override {}

  void append_to(Trace& trace) const {
    require(path_.has_value(), "a stored state is no successor of its parent");
    trace.steps.insert(trace.steps.end(), path_->begin(), path_->end());
  }

 private:
  void keep() {
    if (!path_) path_ = system_.path();
  }

  TransitionSystem& system_;
  std::optional<PackedState> target_;
  std::optional<std::vector<TraceStep>> path_;
};

}  // namespace

Trace find_path(const System& system, const StateStore& store, StateStore::Ref to, bool then_failing_step) {
  std::vector<StateStore::Ref> chain;
  for (StateStore::Ref ref = to; ref != StateStore::kNone; ref = store.parent(ref)) chain.push_back(ref);
  std::reverse(chain.begin(), chain.end());

  const std::unique_ptr<TransitionSystem> worker = system.worker();
  worker->record_paths(true);
  Trace trace;
  const auto extend = [&](StateStore::Ref from, std::optional<PackedState> target) {
    Catcher catcher(*worker, target);
    if (from == StateStore::kNone)
      worker->initial(catcher);
    else
      worker->successors(store.state(from), catcher);
    catcher.append_to(trace);
  };
  StateStore::Ref previous = StateStore::kNone;
  for (const StateStore::Ref ref : chain) {
    extend(previous, store.state(ref));
    previous = ref;
  }
  if (then_failing_step) extend(previous, std::nullopt);
  return trace;
}

}  // namespace fenceline
