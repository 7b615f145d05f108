// SPDX-License-Identifier: GPL-3.0-or-later
#include "semantics/system.h"

#include <deque>

#include "semantics/machine.h"

namespace fenceline {
namespace {

template <StoreBuffer Buffer>
class MachineSystem final : public TransitionSystem {
 public:
  using State = MachineState<Buffer>;

  MachineSystem(const Code& code, const StateLayout& layout, const Reduction& reduction)
      : machine_(code, layout), reduction_(reduction) {}

  void initial(StateSink& sink) override {
    path_.clear();
    State state = machine_.initial();
    for (size_t t = 0; t < state.where.size(); ++t)
      if (!run_eager_steps(state, t, sink)) return;
    emit(state, sink);
  }

  void successors(PackedState packed, StateSink& sink) override {
    path_.clear();
    machine_.unpack(packed, from_);
    if (const auto choice = reduction_.choose(machine_, from_)) {
      if (choice->flush)
        flush(choice->thread, *choice->flush, sink);
      else
        execute(choice->thread, sink);
      return;
    }
    for (size_t t = 0; t < from_.where.size(); ++t) {
      execute(t, sink);
      machine_.for_each_flush(from_, t, [&](const FlushChoice& choice) { flush(t, choice, sink); });
    }
  }

  StateView look(PackedState packed) override {
    machine_.unpack(packed, from_);
    return machine_.view(from_);
  }

  bool stopped_by_assumption(PackedState packed) override {
    machine_.unpack(packed, from_);
    for (size_t t = 0; t < from_.where.size(); ++t) {
      const Operation& op = machine_.code().at(t, from_.where[t]);
      if (op.kind != InstrKind::kAssume) continue;
      const Evaluated holds = machine_.code().value(t, op.a, from_.registers.data());
      if (holds.ok() && holds.value == 0) return true;
    }
    return false;
  }

  void record_paths(bool on) override { recording_ = on; }
  const std::vector<TraceStep>& path() const override { return path_; }

 private:
  // All ways in which thread t can run the instruction where it stands in from_.
  void execute(size_t t, StateSink& sink) {
    if (machine_.code().at(t, from_.where[t]).kind == InstrKind::kAtomicBegin)
      return atomic_section(from_, t, 0, sink);
    const uint64_t choices = machine_.choices(from_, t);
    for (uint64_t choice = 0; choice < choices; ++choice) {
      to_ = from_;
      if (step(to_, t, choice, false, sink) && run_eager_steps(to_, t, sink)) emit(to_, sink);
      path_.clear();
    }
  }

  void flush(size_t t, const FlushChoice& choice, StateSink& sink) {
    to_ = from_;
    machine_.flush(to_, t, choice, label());
    if (run_eager_steps(to_, t, sink)) emit(to_, sink);
    path_.clear();
  }

  // Everything from kAtomicBegin to kAtomicEnd as one step, along every path through the section. The
  // verifier guarantees that sections have no cycles.
  void atomic_section(const State& state, size_t t, size_t depth, StateSink& sink) {
    if (depth == nested_.size()) nested_.emplace_back();
    State& next = nested_[depth];
    const InstrKind kind = machine_.code().at(t, state.where[t]).kind;
    const uint64_t choices = machine_.choices(state, t);
    const size_t steps_before = path_.size();
    for (uint64_t choice = 0; choice < choices; ++choice) {
      next = state;
      if (step(next, t, choice, true, sink)) {
        if (kind != InstrKind::kAtomicEnd)
          atomic_section(next, t, depth + 1, sink);
        else if (run_eager_steps(next, t, sink))
          emit(next, sink);
      }
      path_.resize(steps_before);
    }
  }

  // False if there is no state after the step.
  bool step(State& state, size_t t, uint64_t choice, bool in_atomic, StateSink& sink) {
    switch (machine_.execute(state, t, choice, in_atomic, label())) {
      case StepOutcome::kDone:
        return true;
      case StepOutcome::kError:
        sink.error();
        break;
      case StepOutcome::kOverflow:
        sink.overflow();
        break;
      case StepOutcome::kImpossible:
        break;
    }
    return false;
  }

  bool run_eager_steps(State& state, size_t t, StateSink& sink) {
    while (reduction_.eager(t, state.where[t])) {
      const size_t steps_before = path_.size();
      switch (machine_.execute(state, t, 0, false, label())) {
        case StepOutcome::kDone:
          continue;
        case StepOutcome::kImpossible:
          path_.resize(steps_before);
          return true;
        case StepOutcome::kError:
          sink.error();
          return false;
        case StepOutcome::kOverflow:
          sink.overflow();
          return false;
      }
    }
    return true;
  }

  void emit(const State& state, StateSink& sink) {
    sink.state(machine_.pack(state, writer_), machine_.view(state));
  }

  TraceStep* label() {
    if (!recording_) return nullptr;
    return &path_.emplace_back();
  }

  Machine<Buffer> machine_;
  const Reduction& reduction_;
  State from_, to_;
  std::deque<State> nested_;  // scratch for atomic sections, by depth
  BitWriter writer_;
  bool recording_ = false;
  std::vector<TraceStep> path_;
};

}  // namespace

System::System(const Program& program, const FenceSet& fences, const MemoryModel& model,
               const Observed& observed, const Visibility& visibility, bool reduce)
    : overlay_(program, fences),
      code_(overlay_, model),
      layout_(code_, observed),
      reduction_(code_, visibility, reduce) {}

std::unique_ptr<TransitionSystem> System::worker() const {
  return std::make_unique<MachineSystem<FifoBuffer>>(code_, layout_, reduction_);
}

}  // namespace fenceline
