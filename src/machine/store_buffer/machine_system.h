// SPDX-License-Identifier: GPL-3.0-or-later
//
// The machine as a transition system: which threads step, what is fused into a step, what is packed and
// handed to the sink. Only system.cpp and abstract_system.cpp include this, one for each kind of buffer.
#pragma once

#include <algorithm>
#include <cstddef>
#include <deque>
#include <optional>
#include <vector>

#include "machine/por/partial_order_reduction.h"
#include "machine/store_buffer/machine_impl.h"

namespace fenceline::machine {

// `Interface` is TransitionSystem or a class derived from it, whose further functions a derived class has.
template <buffer::StoreBuffer Buffer, class Interface = TransitionSystem>
class MachineSystem : public Interface {
 public:
  using State = MachineState<Buffer>;

  MachineSystem(const Code& code, const StateLayout& layout, const Reduction& reduction,
                uint64_t buffer_limit)
      : machine_(code, layout, buffer_limit), reduction_(reduction), state_(machine_.initial()) {}

  void initial(StateSink& sink) override {
    begin_path();
    State state = machine_.initial();
    for (size_t t = 0; t < state.locations.size(); ++t) run_eager_steps(state, t, sink);
    sink.state(machine_.pack(state, writer_));
  }

  void successors(PackedState packed, StateSink& sink) override {
    begin_path();
    machine_.unpack(packed, state_, unpacked_);
    sink.expanding(machine_.view(state_));
    const std::optional<Reduction::Choice> choice = reduction_.choose(machine_, state_);
    if (choice && expand_only(*choice, sink)) return;
    for (size_t t = 0; t < state_.locations.size(); ++t) {
      keep(t);
      if (!choice || choice->thread != t) execute(t, sink);
      kept_.buffer.for_each_flush(machine_.layout().buffers[t],
                                  [&](const buffer::FlushChoice& flushed) { flush(t, flushed, sink); });
    }
  }

  bool excused(PackedState packed) override {
    machine_.unpack(packed, state_, unpacked_);
    for (size_t t = 0; t < state_.locations.size(); ++t) {
      const Operation& op = machine_.code().at(t, state_.locations[t]);
      if (op.kind == InstrKind::kHalt && op.ends_program) return true;
      if (op.kind != InstrKind::kAssume) continue;
      const Evaluated holds = machine_.code().value(t, op.a, state_.registers.data());
      if (holds.ok() && holds.value == 0) return true;
    }
    return false;
  }

  void pending_stores(size_t thread, std::vector<PendingStore>& stores) const override {
    if constexpr (requires(const Buffer& buffer) { buffer.entries().front().value; })
      for (const auto& entry : state_.buffers[thread].entries())
        stores.push_back({CellId(entry.cell), entry.value});
    else
      TransitionSystem::pending_stores(thread, stores);
  }

  void record_paths(bool on) override { recording_ = on; }
  const std::vector<TraceStep>& path() const override { return path_; }
  const std::vector<ViolatedOrdering>& violated_orderings() const override { return violated_orderings_; }

 protected:
  const Machine<Buffer>& machine() const { return machine_; }

 private:
  // The step that may represent all. False if it fails: a step without a state after it represents nothing,
  // and the other threads have to be looked at.
  bool expand_only(const Reduction::Choice& choice, StateSink& sink) {
    keep(choice.thread);
    if (choice.kind == Reduction::Choice::kInstruction) return execute(choice.thread, sink);
    kept_.buffer.for_each_flush(
        machine_.layout().buffers[choice.thread], [&](const buffer::FlushChoice& flushed) {
          if (choice.kind == Reduction::Choice::kFlushes || choice.cell == flushed.cell)
            flush(choice.thread, flushed, sink);
        });
    return true;
  }

  // All alternatives of the current instruction of thread t in state_. False if one of them fails.
  // Precondition: keep(t).
  bool execute(size_t t, StateSink& sink) {
    if (machine_.code().at(t, state_.locations[t]).kind == InstrKind::kAtomicBegin) {
      if (Buffer::kOneReading && machine_.code().only_reads(t, state_.locations[t]))
        return read_only_section(t, sink);
      in_atomic_ = state_;
      atomic_section(in_atomic_, t, 0, sink);
      begin_path();
      return true;  // sections that write or choose are never chosen to represent others
    }
    if (Buffer::kNarrows && machine_.code().at(t, state_.locations[t]).fence == FenceEffect::kDrainAll)
      return sync(t, sink);
    bool failed = false;
    const uint64_t choices = machine_.choices(state_, t);
    for (uint64_t choice = 0; choice < choices; ++choice) {
      const StepOutcome outcome = step(state_, t, choice, false);
      const bool done = report(outcome, sink);
      if (done) {
        run_eager_steps(state_, t, sink);
        emit_successor(t, sink);
      }
      if (done || Buffer::kNarrows) take_back(t);
      failed = failed || outcome == StepOutcome::kError || outcome == StepOutcome::kOverflow;
      begin_path();
    }
    return !failed;
  }

  // The only step that narrows the buffers of other threads.
  bool sync(size_t t, StateSink& sink) {
    in_atomic_ = state_;
    if (report(step(in_atomic_, t, 0, false), sink)) {
      run_eager_steps(in_atomic_, t, sink);
      sink.state(machine_.pack(in_atomic_, writer_));
    }
    begin_path();
    return true;
  }

  // Precondition: keep(t).
  void flush(size_t t, const buffer::FlushChoice& choice, StateSink& sink) {
    machine_.flush(state_, t, choice, label());
    run_eager_steps(state_, t, sink);
    emit_successor(t, sink);
    take_back(t);
    begin_path();
  }

  // A step of one thread changes what belongs to it and at most one memory cell: keeping that and putting it
  // back is cheaper than copying states.
  void keep(size_t t) {
    kept_.location = state_.locations[t];
    kept_.registers.assign(state_.registers.data() + machine_.code().first_register(t),
                           state_.registers.data() + machine_.code().first_register(t + 1));
    kept_.buffer = state_.buffers[t];
    clear_write();
  }
  void take_back(size_t t) {
    state_.locations[t] = kept_.location;
    std::copy(kept_.registers.begin(), kept_.registers.end(),
              state_.registers.data() + machine_.code().first_register(t));
    state_.buffers[t] = kept_.buffer;
    if (!state_.memory.empty()) state_.memory[state_.written_cell] = state_.overwritten;
    clear_write();
  }
  void clear_write() {
    state_.written_cell = 0;
    if (!state_.memory.empty()) state_.overwritten = state_.memory[0];
  }

  // An atomic section that writes nothing and chooses nothing, such as await: it can run in place. False if it cannot be
  // executed: then it represents nothing (an await may be chosen).
  bool read_only_section(size_t t, StateSink& sink) {
    InstrKind kind = InstrKind::kAtomicBegin;
    bool possible = true;
    while (possible && kind != InstrKind::kAtomicEnd) {
      kind = machine_.code().at(t, state_.locations[t]).kind;
      possible = report(step(state_, t, 0, true), sink);
    }
    if (possible) {
      run_eager_steps(state_, t, sink);
      emit_successor(t, sink);
    }
    take_back(t);
    begin_path();
    return possible;
  }

  // Everything from kAtomicBegin to kAtomicEnd as one step, along every path through the section. The
  // verifier guarantees that sections have no cycles. `state` is spoilt; it is copied only where paths part.
  void atomic_section(State& state, size_t t, size_t depth, StateSink& sink) {
    for (;;) {
      const uint64_t choices = machine_.choices(state, t);
      if (choices > 1) return atomic_choices(state, t, choices, depth, sink);
      const InstrKind kind = machine_.code().at(t, state.locations[t]).kind;
      if (!report(step(state, t, 0, true), sink)) return;
      if (kind != InstrKind::kAtomicEnd) continue;
      run_eager_steps(state, t, sink);
      sink.state(machine_.pack(state, writer_));
      return;
    }
  }

  void atomic_choices(const State& state, size_t t, uint64_t choices, size_t depth, StateSink& sink) {
    if (depth == nested_.size()) nested_.emplace_back();
    State& next = nested_[depth];
    const size_t steps_before = path_.size();
    for (uint64_t choice = 0; choice < choices; ++choice) {
      next = state;
      if (report(step(next, t, choice, true), sink)) atomic_section(next, t, depth + 1, sink);
      path_.resize(steps_before);
    }
  }

  // Reports to the sink if there is no state after the step, and why. True if there is one.
  static bool report(StepOutcome outcome, StateSink& sink) {
    if (outcome == StepOutcome::kError) sink.error();
    if (outcome == StepOutcome::kOverflow) sink.overflow();
    if (outcome == StepOutcome::kBufferFull) sink.buffer_full();
    return outcome == StepOutcome::kDone;
  }

  // Stops before a step that is not possible or fails, or that only some of the contents of the buffer can
  // do. A failing step is reported, but the state before it counts too: other threads may take steps before
  // it.
  void run_eager_steps(State& state, size_t t, StateSink& sink) {
    while (reduction_.eager(t, state.locations[t]) && machine_.uniform(state, t)) {
      const size_t steps_before = path_.size();
      if (report(step(state, t, 0, false), sink)) continue;
      path_.resize(steps_before);
      return;
    }
  }

  void emit_successor(size_t mover, StateSink& sink) {
    sink.state(machine_.pack_successor(state_, mover, unpacked_, writer_));
  }

  void begin_path() {
    path_.clear();
    violated_orderings_.clear();
  }

  StepOutcome step(State& state, size_t t, uint64_t choice, bool in_atomic) {
    const uint32_t here = state.locations[t];
    if (machine_.code().at(t, here).fence == FenceEffect::kMonitor && !state.buffers[t].empty())
      violated_orderings_.push_back(
          {ThreadId(t), machine_.code().overlay().inserted_after(ThreadId(t), Point(here))});
    return machine_.execute(state, t, choice, in_atomic, label());
  }

  TraceStep* label() {
    if (!recording_) return nullptr;
    return &path_.emplace_back();
  }

  Machine<Buffer> machine_;
  const Reduction& reduction_;
  State state_;                                  // being expanded, and its successors in turn
  typename Machine<Buffer>::Unpacked unpacked_;  // the packed form of what is being expanded
  struct {
    uint32_t location = 0;
    std::vector<Value> registers;
    Buffer buffer;
  } kept_;                    // what belongs to the thread that moves
  State in_atomic_;           // scratch for atomic sections
  std::deque<State> nested_;  // and for their choices, by depth
  BitWriter writer_;
  bool recording_ = false;
  std::vector<TraceStep> path_;
  std::vector<ViolatedOrdering> violated_orderings_;
};

}  // namespace fenceline::machine
