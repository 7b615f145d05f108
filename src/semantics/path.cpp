// SPDX-License-Identifier: GPL-3.0-or-later
#include "semantics/path.h"

#include <algorithm>
#include <optional>

#include "env/errors.h"

namespace fenceline {
namespace {

// Catches the path to one successor: the given state, or (no state given) the first failing step. Of several
// ways to the same state it takes one that passes the fewest watched places.
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
  void rejected() override { error(); }

  // `names` is what the threads are called before and after it.
  void append_to(Path& path, size_t& names) {
    require(caught_.has_value(), "a stored state is no successor of its parent");
    names = system_.tell_in_first_names(caught_->steps, names, names_);
    path.steps.insert(path.steps.end(), caught_->steps.begin(), caught_->steps.end());
    path.crossed.insert(path.crossed.end(), caught_->crossed.begin(), caught_->crossed.end());
  }

 private:
  void keep() {
    if (caught_ && system_.crossed().size() >= caught_->crossed.size()) return;
    caught_ = Path{system_.path(), system_.crossed()};
    names_ = system_.names();
  }

  TransitionSystem& system_;
  std::optional<PackedState> target_;
  std::optional<Path> caught_;
  size_t names_ = 0;  // of the threads, where it ends
};

}  // namespace

Path path_along(TransitionSystem& system, const std::vector<PackedState>& chain, bool then_failing_step) {
  system.record_paths(true);
  Path path;
  size_t names = 0;  // what the threads are called where the path ends
  const auto extend = [&](const PackedState* from, std::optional<PackedState> target) {
    Catcher catcher(system, target);
    if (from == nullptr)
      system.initial(catcher);
    else
      system.successors(*from, catcher);
    catcher.append_to(path, names);
  };
  const PackedState* previous = nullptr;
  for (const PackedState& state : chain) {
    extend(previous, state);
    previous = &state;
  }
  if (then_failing_step) extend(previous, std::nullopt);
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

}  // namespace fenceline
