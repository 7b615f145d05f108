// SPDX-License-Identifier: GPL-3.0-or-later
#include "visible_states.h"

#include <functional>
#include <memory>

#include "machine/store_buffer/system.h"

namespace fenceline::fuzz {
namespace {

class Explorer final : public machine::StateSink {
 public:
  using Look = std::function<void(const machine::StateView&, VisibleStates&)>;

  Explorer(const machine::System& system, size_t max_states, Look look)
      : worker_(system.worker()), max_states_(max_states), look_(std::move(look)) {}

  VisibleStates run() {
    seen_.complete = true;
    worker_->initial(*this);
    while (!todo_.empty() && seen_.complete) {
      const machine::KeptState state = std::move(todo_.back());
      todo_.pop_back();
      worker_->successors(state.packed(), *this);
    }
    return std::move(seen_);
  }

  void expanding(const machine::StateView& view) override { look_(view, seen_); }
  void state(machine::PackedState packed) override {
    if (!known_.emplace(packed.begin(), packed.end()).second) return;
    if (known_.size() > max_states_) seen_.complete = false;
    todo_.emplace_back(packed);
  }
  void buffer_full() override { seen_.complete = false; }
  void error() override { seen_.error = true; }
  void overflow() override { seen_.complete = false; }

 private:
  std::unique_ptr<machine::TransitionSystem> worker_;
  const size_t max_states_;
  const Look look_;
  VisibleStates seen_;
  std::set<std::string> known_;
  std::vector<machine::KeptState> todo_;
};

// Records what is observable in the state if `program` is the program, and `point` gives the program counter
// of each of its threads.
void note(const Program& program, const machine::StateView& view, const std::function<Point(size_t)>& point,
          VisibleStates& seen) {
  std::vector<Value> values;
  for (size_t t = 0; t < program.threads.size(); ++t) {
    values.push_back(point(t).value());
    const Value* registers = view.registers + view.first_register[t];
    values.insert(values.end(), registers, registers + program.threads[t].registers.size());
  }
  values.insert(values.end(), view.memory, view.memory + program.cell_count);
  if (view.final_state) seen.finals.insert(values);
  seen.states.insert(std::move(values));
}

constexpr machine::SystemOptions kEverything{.fuse = false, .reduce = false, .liveness = false};

}  // namespace

VisibleStates visible_states(const Program& program, const FenceSet& fences, const MemoryModel& model,
                             size_t max_states) {
  const machine::System system(program, fences, model, {}, {}, kEverything);
  return Explorer(system, max_states,
                  [&](const machine::StateView& view, VisibleStates& seen) {
                    note(
                        program, view, [&](size_t t) { return Point(view.locations[t]); }, seen);
                  })
      .run();
}

VisibleStates visible_states(const transform::ReducedProgram& reduced, const Program& original,
                             size_t max_states) {
  const FenceSet none;
  const machine::System system(reduced.program, none, memory_model("sc"), {}, {}, kEverything);
  return Explorer(system, max_states,
                  [&](const machine::StateView& view, VisibleStates& seen) {
                    const CellId overflow = reduced.program.object(reduced.overflow).first_cell;
                    if (view.memory[overflow.index()] != 0) seen.overflow = true;
                    note(
                        original, view, [&](size_t t) { return reduced.origins[t][view.locations[t]]; },
                        seen);
                  })
      .run();
}

}  // namespace fenceline::fuzz
