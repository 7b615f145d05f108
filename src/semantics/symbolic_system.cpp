// SPDX-License-Identifier: GPL-3.0-or-later
#include "semantics/symbolic_system.h"

#include <algorithm>

#include "base/hash.h"
#include "domain/buffer/automaton_buffer.h"
#include "semantics/machine_system.h"
#include "semantics/system.h"

namespace fenceline {
namespace {

// What has to exist before the machine: languages are numbers in one store, which the layout points to.
struct OwnLanguages {
  explicit OwnLanguages(const StateLayout& shared) : layout_with_languages(shared) {
    for (BufferLayout& buffer : layout_with_languages.buffers) buffer.languages = &store;
  }
  Languages store;
  StateLayout layout_with_languages;
};

class AutomatonSystem final : private OwnLanguages, public MachineSystem<AutomatonBuffer, SymbolicSystem> {
  using Base = MachineSystem<AutomatonBuffer, SymbolicSystem>;

 public:
  AutomatonSystem(const Code& code, const StateLayout& layout, const Reduction& reduction)
      : OwnLanguages(layout),
        Base(code, layout_with_languages, reduction, 0),
        candidate_(machine().initial()),
        other_(candidate_) {}

  uint64_t take_candidate(PackedState packed) override {
    machine().unpack(packed, candidate_, unpacked_);
    const PackedState family = family_of(candidate_, packed);
    candidate_family_.assign(family.begin(), family.end());
    return hash_bytes(family.data(), family.size());
  }

  Order compare_with_candidate(PackedState packed) override {
    machine().unpack(packed, other_, unpacked_);
    if (!std::ranges::equal(family_of(other_, packed), candidate_family_)) return Order::kUnrelated;
    if (covers(other_, candidate_)) return Order::kCoversCandidate;
    return covers(candidate_, other_) ? Order::kCandidateCovers : Order::kUnrelated;
  }

  Languages& languages() override { return store; }

  const std::vector<uint32_t>& cells_of_queues(ThreadId thread) const override {
    static const std::vector<uint32_t> kNone;
    const BufferLayout& layout = machine().layout().buffers[thread.index()];
    return layout.per_cell ? layout.cells : kNone;
  }

  SymbolicSnapshot describe(PackedState packed) override {
    const Code& code = machine().code();
    machine().unpack(packed, other_, unpacked_);
    SymbolicSnapshot snapshot{other_.where, other_.memory, {}, {}};
    for (size_t t = 0; t < other_.where.size(); ++t) {
      snapshot.registers.emplace_back(code.first_register(t + 1) - code.first_register(t));
      for (const FieldLayout& field : machine().layout().registers[t][other_.where[t]])
        snapshot.registers[t][field.index - code.first_register(t)] = other_.registers[field.index];
      snapshot.queues.push_back(other_.buffers[t].queues());
    }
    return snapshot;
  }

  Queues queues(PackedState packed, ThreadId thread) override {
    machine().unpack(packed, other_, unpacked_);
    return other_.buffers[thread.index()].queues();
  }

  PackedState with_queues(PackedState packed, ThreadId thread, const Queues& queues) override {
    machine().unpack(packed, other_, unpacked_);
    other_.buffers[thread.index()].set_queues(queues, machine().layout().buffers[thread.index()]);
    return machine().pack(other_, writer_);
  }

  bool same_family(PackedState a, PackedState b) override {
    machine().unpack(a, other_, unpacked_);
    const PackedState family = family_of(other_, a);
    const std::vector<uint8_t> family_of_a(family.begin(), family.end());
    machine().unpack(b, other_, unpacked_);
    return std::ranges::equal(family_of(other_, b), family_of_a);
  }

  std::optional<PackedState> drained(PackedState packed) override {
    machine().unpack(packed, other_, unpacked_);
    for (AutomatonBuffer& buffer : other_.buffers)
      if (!buffer.keep_drained()) return std::nullopt;
    return machine().pack(other_, writer_);
  }

  std::optional<PackedState> follow(PackedState packed, std::span<const TraceStep> steps) override {
    machine().unpack(packed, other_, unpacked_);
    bool in_atomic = false;
    for (const TraceStep& step : steps) {
      const bool flush = step.kind == StepKind::kFlush;
      const InstrKind kind =
          machine().code().at(step.thread.index(), step.point.valid() ? step.point.value() : 0).kind;
      if (!flush && kind == InstrKind::kAtomicBegin) in_atomic = true;
      if (!(flush ? take_flush(step) : take_instruction(step, in_atomic))) return std::nullopt;
      if (!flush && kind == InstrKind::kAtomicEnd) in_atomic = false;
    }
    return machine().pack(other_, writer_);
  }

  std::optional<PackedState> widened(PackedState packed, size_t states) override {
    machine().unpack(packed, other_, unpacked_);
    bool any = false;
    for (size_t t = 0; t < other_.buffers.size(); ++t) {
      Queues queues = other_.buffers[t].queues();
      for (Language& queue : queues) {
        if (store.states(queue) <= states) continue;
        const Language wide = store.widened(queue);
        any = any || wide != queue;
        queue = wide;
      }
      other_.buffers[t].set_queues(std::move(queues), machine().layout().buffers[t]);
    }
    if (!any) return std::nullopt;
    return machine().pack(other_, writer_);
  }

 private:
  // Both change other_.
  bool take_flush(const TraceStep& step) {
    std::optional<FlushChoice> found;
    size_t ways = 0;
    machine().for_each_flush(other_, step.thread.index(), [&](const FlushChoice& choice) {
      if (choice.cell != step.cell.value() || choice.value != step.value) return;
      found = choice;
      ++ways;
    });
    if (ways != 1) return false;
    machine().flush(other_, step.thread.index(), *found, nullptr);
    return true;
  }
  bool take_instruction(const TraceStep& step, bool in_atomic) {
    const size_t thread = step.thread.index();
    if (other_.where[thread] != step.point.value()) return false;
    std::optional<State> found;
    const uint64_t choices = machine().choices(other_, thread);
    for (uint64_t choice = 0; choice < choices; ++choice) {
      State next = other_;
      TraceStep label;
      if (machine().execute(next, thread, choice, in_atomic, &label) != StepOutcome::kDone) continue;
      if (label.chosen != step.chosen || label.value != step.value) continue;
      if (found) return false;
      found = std::move(next);
    }
    if (!found) return false;
    other_ = std::move(*found);
    return true;
  }

  PackedState family_of(const State& state, PackedState packed) {
    family_writer_.reset();
    family_writer_.copy(packed.data(), 0, machine().layout().head_bits);
    for (size_t t = 0; t < state.where.size(); ++t)
      for (const FieldLayout& field : machine().layout().registers[t][state.where[t]])
        family_writer_.put(field.encode(state.registers[field.index]), field.bits);
    return family_writer_.finish();
  }

  // Precondition: they are of one family.
  static bool covers(const State& wide, const State& narrow) {
    for (size_t t = 0; t < wide.buffers.size(); ++t)
      if (!wide.buffers[t].covers(narrow.buffers[t])) return false;
    return true;
  }

  State candidate_;
  std::vector<uint8_t> candidate_family_;
  State other_;  // scratch
  Machine<AutomatonBuffer>::Unpacked unpacked_;
  BitWriter writer_;
  BitWriter family_writer_;
};

}  // namespace

std::unique_ptr<SymbolicSystem> System::symbolic_worker() const {
  require(!options_.abstraction, "an exact machine was asked of an abstract system");
  return std::make_unique<AutomatonSystem>(code_, layout_, reduction_);
}

}  // namespace fenceline
