// SPDX-License-Identifier: GPL-3.0-or-later
#include "machine/path.h"

#include <algorithm>
#include <optional>

#include "env/errors.h"

namespace fenceline::machine {
namespace {

// Catches the path to one successor: the one that the given state represents, or (no state given) the first
// failing step. Of several paths to the same state it takes one that passes the fewest monitored positions.
class Catcher final : public StateSink {
 public:
  Catcher(TransitionSystem& system, std::optional<PackedState> target) : system_(system), target_(target) {}

  void expanding(const StateView&) override {}
  void buffer_full() override {}
  void state(PackedState packed) override {
    if (!target_) return;
    const KeptState state(packed);
    if (std::ranges::equal(system_.representative(state.packed()), *target_)) keep(state);
  }
  void error() override {
    if (!target_) keep(KeptState());
  }
  void overflow() override {}
  void rejected() override { error(); }

  // Returns the state to which the path leads.
  KeptState append_to(Path& path) const {
    require(caught_.has_value(), "a stored state is no successor of its parent");
    path.steps.insert(path.steps.end(), caught_->steps.begin(), caught_->steps.end());
    path.violated_orderings.insert(path.violated_orderings.end(), caught_->violated_orderings.begin(),
                                   caught_->violated_orderings.end());
    return end_;
  }

 private:
  void keep(const KeptState& end) {
    if (caught_ && system_.violated_orderings().size() >= caught_->violated_orderings.size()) return;
    caught_ = Path{system_.path(), system_.violated_orderings()};
    end_ = end;
  }

  TransitionSystem& system_;
  std::optional<PackedState> target_;
  std::optional<Path> caught_;
  KeptState end_;
};

}  // namespace

Path path_along(TransitionSystem& system, const std::vector<PackedState>& chain, bool then_failing_step) {
  system.record_paths(true);
  Path path;
  std::optional<KeptState> here;  // nothing: before the program starts
  const auto extend = [&](std::optional<PackedState> target) {
    Catcher catcher(system, target);
    if (here)
      system.successors(here->packed(), catcher);
    else
      system.initial(catcher);
    here = catcher.append_to(path);
  };
  for (const PackedState& state : chain) extend(state);
  if (then_failing_step) extend(std::nullopt);
  system.record_paths(false);
  return path;
}

std::vector<bool> inside_sections(const Code& code, std::span<const TraceStep> steps) {
  std::vector<bool> inside;
  bool open = false;
  for (const TraceStep& step : steps) {
    const InstrKind kind = step.kind == StepKind::kExecute
                               ? code.at(step.thread.index(), step.point.value()).kind
                               : InstrKind::kHalt;  // of no interest here
    open = open || kind == InstrKind::kAtomicBegin;
    inside.push_back(open);
    open = open && kind != InstrKind::kAtomicEnd;
  }
  return inside;
}

}  // namespace fenceline::machine
