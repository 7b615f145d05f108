// SPDX-License-Identifier: GPL-3.0-or-later
#include "machine/store_buffer/symbolic_system.h"

#include <algorithm>

#include "machine/path.h"
#include "machine/store_buffer/ordered_machine_system.h"
#include "machine/store_buffer/system.h"

namespace fenceline::machine {
namespace {

// What has to exist before the machine: languages are numbers in one store, which the layout points to.
struct OwnLanguages {
  explicit OwnLanguages(const StateLayout& shared) : layout_with_languages(shared) {
    for (buffer::BufferLayout& buffer : layout_with_languages.buffers) buffer.languages = &store;
  }
  automata::Languages store;
  StateLayout layout_with_languages;
};

class AutomatonSystem final : private OwnLanguages,
                              public OrderedMachineSystem<buffer::AutomatonBuffer, SymbolicSystem> {
  using Base = OrderedMachineSystem<buffer::AutomatonBuffer, SymbolicSystem>;

 public:
  AutomatonSystem(const Code& code, const StateLayout& layout, const Reduction& reduction)
      : OwnLanguages(layout), Base(code, layout_with_languages, reduction) {}

  automata::Languages& languages() override { return store; }

  const std::vector<uint32_t>& cells_of_queues(ThreadId thread) const override {
    static const std::vector<uint32_t> kNone;
    const buffer::BufferLayout& layout = machine().layout().buffers[thread.index()];
    return layout.per_cell ? layout.cells : kNone;
  }

  SymbolicSnapshot describe(PackedState packed) override {
    const State& state = unpack(packed);
    SymbolicSnapshot result{snapshot(state), {}};
    for (const buffer::AutomatonBuffer& buffer : state.buffers) result.queues.push_back(buffer.queues());
    return result;
  }

  Queues queues(PackedState packed, ThreadId thread) override {
    return unpack(packed).buffers[thread.index()].queues();
  }

  PackedState with_queues(PackedState packed, ThreadId thread, const Queues& queues) override {
    State& state = unpack(packed);
    state.buffers[thread.index()].set_queues(queues, machine().layout().buffers[thread.index()]);
    return machine().pack(state, writer_);
  }

  bool same_class(PackedState a, PackedState b) override {
    const PackedState subsumption_class = class_of(unpack(a), a);
    const std::vector<uint8_t> class_of_a(subsumption_class.begin(), subsumption_class.end());
    return std::ranges::equal(class_of(unpack(b), b), class_of_a);
  }

  std::optional<PackedState> drained(PackedState packed) override {
    State& state = unpack(packed);
    for (buffer::AutomatonBuffer& buffer : state.buffers)
      if (!buffer.keep_drained()) return std::nullopt;
    return machine().pack(state, writer_);
  }

  std::optional<PackedState> after_steps(PackedState packed, std::span<const TraceStep> steps) override {
    State& state = unpack(packed);
    const std::vector<bool> in_atomic = inside_sections(machine().code(), steps);
    for (size_t i = 0; i < steps.size(); ++i) {
      const bool taken = steps[i].kind == StepKind::kFlush ? take_flush(state, steps[i])
                                                           : take_instruction(state, steps[i], in_atomic[i]);
      if (!taken) return std::nullopt;
    }
    return machine().pack(state, writer_);
  }

  std::optional<PackedState> widened(PackedState packed, size_t states) override {
    State& state = unpack(packed);
    bool any = false;
    for (size_t t = 0; t < state.buffers.size(); ++t) {
      Queues queues = state.buffers[t].queues();
      for (automata::Language& queue : queues) {
        if (store.states(queue) <= states) continue;
        const automata::Language wide = store.widened(queue);
        any = any || wide != queue;
        queue = wide;
      }
      state.buffers[t].set_queues(std::move(queues), machine().layout().buffers[t]);
    }
    if (!any) return std::nullopt;
    return machine().pack(state, writer_);
  }

 private:
  bool take_flush(State& state, const TraceStep& step) const {
    std::optional<buffer::FlushChoice> found;
    size_t alternatives = 0;
    machine().for_each_flush(state, step.thread.index(), [&](const buffer::FlushChoice& choice) {
      if (choice.cell != step.cell.value() || choice.value != step.value) return;
      found = choice;
      ++alternatives;
    });
    if (alternatives != 1) return false;
    machine().flush(state, step.thread.index(), *found, nullptr);
    return true;
  }
  bool take_instruction(State& state, const TraceStep& step, bool in_atomic) const {
    const size_t thread = step.thread.index();
    if (state.locations[thread] != step.point.value()) return false;
    std::optional<State> found;
    const uint64_t choices = machine().choices(state, thread);
    for (uint64_t choice = 0; choice < choices; ++choice) {
      State next = state;
      TraceStep label;
      if (machine().execute(next, thread, choice, in_atomic, &label) != StepOutcome::kDone) continue;
      if (label.chosen != step.chosen || label.value != step.value) continue;
      if (found) return false;
      found = std::move(next);
    }
    if (!found) return false;
    state = std::move(*found);
    return true;
  }

  BitWriter writer_;
};

}  // namespace

size_t SymbolicSystem::queue_of(ThreadId thread, CellId cell) const {
  const std::vector<uint32_t>& cells = cells_of_queues(thread);
  if (cells.empty()) return 0;
  const auto queue = std::find(cells.begin(), cells.end(), cell.value());
  require(queue != cells.end(), "a cell without a queue");
  return static_cast<size_t>(queue - cells.begin());
}

std::unique_ptr<SymbolicSystem> System::symbolic_worker() const {
  require(!options_.abstraction, "an exact machine of an abstract system");
  return std::make_unique<AutomatonSystem>(code_, layout_, reduction_);
}

}  // namespace fenceline::machine
