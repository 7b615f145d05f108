// SPDX-License-Identifier: GPL-3.0-or-later
#include "engine/robustness/monitored_system.h"

#include <map>
#include <optional>
#include <vector>

#include "engine/robustness/access_strength.h"
#include "engine/robustness/views.h"
#include "env/errors.h"

namespace fenceline::robustness {
namespace {

using machine::PackedState;
using machine::StateSink;
using machine::StateView;

// A packed state: the length of that of the machine, in 16 bits; the state of the machine; the views.
constexpr size_t kLengthBytes = 2;

class MonitoredSystem final : public machine::TransitionSystem {
 public:
  MonitoredSystem(const machine::System& system, const SharedCells& cells)
      : system_(system),
        code_(system.code()),
        cells_(cells),
        machine_(system.worker()),
        views_(cells),
        futures_(cells.threads()) {
    machine_->record_paths(true);
  }

  void initial(StateSink& sink) override {
    views_.reset();
    initial_ = true;
    Successors successors(*this, sink);
    machine_->initial(successors);
    successors.finish();
  }

  void successors(PackedState packed, StateSink& sink) override {
    const PackedState machine_state = of_machine(packed);
    views_.unpack(machine_state.data() + machine_state.size());
    initial_ = false;
    for (size_t t = 0; t < cells_.threads(); ++t)
      futures_[t] = cells_.future_number(t, location(machine_state, t));
    Successors successors(*this, sink);
    machine_->successors(machine_state, successors);
    successors.finish();
  }

  bool excused(PackedState packed) override { return machine_->excused(of_machine(packed)); }
  void pending_stores(size_t thread, std::vector<machine::PendingStore>& stores) const override {
    machine_->pending_stores(thread, stores);
  }
  void record_paths(bool) override {}  // they always are
  const std::vector<TraceStep>& path() const override { return machine_->path(); }
  const std::vector<ViolatedOrdering>& violated_orderings() const override {
    return machine_->violated_orderings();
  }

 private:
  // Puts the views beside what the machine hands out.
  class Successors final : public StateSink {
   public:
    Successors(MonitoredSystem& system, StateSink& sink) : system_(system), sink_(sink) {}
    void expanding(const StateView& view) override {
      if (system_.cells_.only_sequential())
        system_.check_races(view);
      else
        system_.check_sections(view);
      sink_.expanding(view);
    }
    void state(PackedState packed) override {
      system_.observe_path();
      const bool in_vain = system_.waits_in_vain(packed);
      if (in_vain && left_out_) return;  // one is enough
      const PackedState with_views = system_.with_views(packed);
      if (in_vain)
        left_out_ = machine::KeptState(with_views);
      else
        sink_.state(with_views);
      any_ = any_ || !in_vain;
    }
    void buffer_full() override { sink_.buffer_full(); }
    void error() override {
      system_.observe_path();
      sink_.error();
    }
    void overflow() override { sink_.overflow(); }

    // If the machine took nothing but a step to a wait, then that may have been chosen to represent the steps of all
    // threads.
    void finish() {
      if (left_out_ && !any_) sink_.state(left_out_->packed());
    }

   private:
    MonitoredSystem& system_;
    StateSink& sink_;
    bool any_ = false;  // was some state handed out?
    std::optional<machine::KeptState> left_out_;
  };

  static PackedState of_machine(PackedState packed) {
    const size_t length = packed[0] | size_t{packed[1]} << 8;
    return packed.subspan(kLengthBytes, length);
  }

  uint32_t location(PackedState machine_state, size_t thread) const {
    const machine::StateLayout& layout = system_.layout();
    BitReader reader(machine_state.data(), layout.point_position[thread]);
    return static_cast<uint32_t>(reader.get(layout.point_bits[thread]));
  }

  void observe_path() {
    views_.restore();
    section_ = Section::kNone;
    for (const TraceStep& step : machine_->path()) observe(step);
  }

  PackedState with_views(PackedState machine_state) {
    if (machine_state.size() >= size_t{1} << (kLengthBytes * 8))
      throw Unsupported("the robustness engine cannot store states of so many cells");
    forget(machine_state);
    writer_.reset();
    writer_.put(machine_state.size(), kLengthBytes * 8);
    writer_.copy(machine_state.data(), 0, machine_state.size() * 8);
    views_.pack(writer_);
    return writer_.finish();
  }

  // Has the thread that moved come to an assumption that does not hold, without writing anything? Then it does nothing
  // any more, and what other threads do after that they can do before it. An execution in which it goes on without a
  // difference is one in which it has not taken this step.
  bool waits_in_vain(PackedState machine_state) {
    if (initial_ || machine_->path().empty()) return false;  // there must be an initial state
    const size_t mover = machine_->path().back().thread.index();
    const machine::Operation& op = code_.at(mover, location(machine_state, mover));
    if (op.kind != InstrKind::kAssume) return false;
    for (const TraceStep& step : machine_->path()) {
      const Instruction& instruction = code_.overlay().at(step.thread, step.point);
      if (instruction.kind == InstrKind::kStore || step.written) return false;
    }
    const Evaluated holds = code_.value(mover, op.a, registers_of(machine_state, mover));
    return holds.ok() && holds.value == 0;
  }

  // The registers of the thread, in an array of those of all threads.
  const Value* registers_of(PackedState machine_state, size_t thread) {
    const machine::StateLayout& layout = system_.layout();
    BitReader reader(machine_state.data(), layout.head_bits);
    registers_.resize(code_.registers());
    for (size_t t = 0; t <= thread; ++t)
      for (const buffer::FieldLayout& field : layout.registers[t][location(machine_state, t)])
        registers_[field.index] = field.decode(reader.get(field.bits));
    return registers_.data();
  }

  // Are two threads about to access one cell, so that it is a race? If two accesses of an execution race, then there is
  // an execution in which no event comes between them (drop all that happened before neither of the two: all reads that
  // are left still read the same writes, since these happened before). Both orders of the two accesses lead from one state,
  // and partial-order reduction keeps it: none of the two is chosen to represent others as long as the other one is to
  // come.
  void check_races(const StateView& view) {
    next_accesses_.clear();
    for (size_t t = 0; t < cells_.threads(); ++t) {
      const uint32_t point = view.locations[t];
      const machine::Operation& op = code_.at(t, point);
      if (op.kind == InstrKind::kAtomicBegin) {
        note_section(t, point);
        continue;
      }
      if (!code_.overlay().at(ThreadId(t), Point(point)).is_memory_access()) continue;
      const Evaluated offset = code_.value(t, op.offset, view.registers);
      if (!offset.ok() || offset.value < 0 || offset.value >= static_cast<Value>(op.cells))
        continue;  // an error
      const CellId cell(op.first_cell + static_cast<size_t>(offset.value));
      if (const std::optional<size_t> number = cells_.number(cell))
        next_accesses_.push_back({t, point, *number});
    }
    for (const NextAccess& a : next_accesses_)
      for (const NextAccess& b : next_accesses_)
        if (a.thread < b.thread && a.cell == b.cell && race(a, b))
          throw NotRobust({ThreadId(a.thread), Point(a.point), cells_.cell(a.cell), Difference::Why::kRace});
  }

  // Everything that the section may access.
  void note_section(size_t t, uint32_t point) {
    const Instruction& instruction = code_.overlay().at(ThreadId(t), Point(point));
    if (instruction.kind == InstrKind::kAtomicEnd || instruction.kind == InstrKind::kHalt) return;
    if (instruction.is_memory_access())
      cells_.accessed(t, point).for_each([&](size_t cell) { next_accesses_.push_back({t, point, cell}); });
    for (const Point next : code_.at(t, point).next) note_section(t, next.value());
  }

  struct NextAccess {
    size_t thread;
    uint32_t point;
    size_t cell;
  };

  bool race(const NextAccess& a, const NextAccess& b) const {
    const Instruction& one = code_.overlay().at(ThreadId(a.thread), Point(a.point));
    const Instruction& other = code_.overlay().at(ThreadId(b.thread), Point(b.point));
    if (!one.writes_memory() && !other.writes_memory()) return false;
    return !cells_.is_signal(a.cell) && !(sequential(one) && sequential(other));
  }

  static bool sequential(const Instruction& instruction) {
    return (!instruction.reads_memory() || read_strength(instruction).sequential) &&
           (!instruction.writes_memory() || write_strength(instruction).sequential);
  }

  // A thread that waits before an atomic section on SC may go on where it reads an older write.
  void check_sections(const StateView& view) {
    for (size_t t = 0; t < cells_.threads(); ++t) {
      if (code_.at(t, view.locations[t]).kind != InstrKind::kAtomicBegin) continue;
      views_.restore();
      check_section(t, view.locations[t]);
    }
  }

  // Sections have no cycles; every path through one is followed.
  void check_section(size_t t, uint32_t point) const {
    const Instruction& instruction = code_.overlay().at(ThreadId(t), Point(point));
    if (instruction.kind == InstrKind::kAtomicEnd || instruction.kind == InstrKind::kHalt) return;
    if (instruction.is_memory_access())
      cells_.accessed(t, point).for_each([&](size_t cell) { check(t, Point(point), instruction, cell); });
    for (const Point next : code_.at(t, point).next) check_section(t, next.value());
  }

  void observe(const TraceStep& step) {
    const size_t t = step.thread.index();
    const Instruction& instruction = code_.overlay().at(step.thread, step.point);
    if (instruction.kind == InstrKind::kAtomicBegin) section_ = Section::kBegun;
    if (instruction.kind == InstrKind::kAtomicEnd) section_ = Section::kNone;
    if (instruction.kind == InstrKind::kFence) return views_.fence(t, fence_strength(instruction));
    if (!instruction.is_memory_access() || !step.cell.valid())
      return;  // an address that does not exist: an error
    const std::optional<size_t> cell = cells_.number(step.cell);
    if (!cell) return;
    check(t, step.point, instruction, *cell);
    const bool ends_rmw = section_ == Section::kLoaded;
    if (section_ != Section::kNone) require_rmw(step, instruction, *cell);
    const bool atomic = cells_.atomic(t, step.point.value());
    if (instruction.reads_memory()) {
      views_.read(t, *cell, atomic, read_strength(instruction, step.written.has_value()));
      views_.tick(t, *cell, atomic ? AccessKind::kAtomicRead : AccessKind::kPlainRead);
    }
    const bool rmw = instruction.kind == InstrKind::kRmw;
    if (!instruction.writes_memory() || (rmw && !step.written)) return;
    // RC11 says nothing of release sequences through atomic sections.
    const Replaces replaces = rmw ? Replaces::kInSequence : ends_rmw ? Replaces::kAtomically : Replaces::kAny;
    views_.write(t, *cell, atomic, write_strength(instruction), replaces);
    views_.tick(t, *cell, atomic ? AccessKind::kAtomicWrite : AccessKind::kPlainWrite);
  }

  // A section that loads a shared cell and then stores to it is a read-modify-write. One that only does one of the two is no
  // more than that access. Others are not supported.
  void require_rmw(const TraceStep& step, const Instruction& instruction, size_t cell) {
    const bool loads = instruction.kind == InstrKind::kLoad, stores = instruction.kind == InstrKind::kStore;
    const bool fits = section_ == Section::kBegun
                          ? loads || stores
                          : section_ == Section::kLoaded && stores && section_cell_ == cell;
    if (!fits) throw NotRobust({step.thread, step.point, step.cell, Difference::Why::kSection});
    section_ = loads ? Section::kLoaded : Section::kStored;
    section_cell_ = cell;
  }

  void check(size_t t, Point point, const Instruction& instruction, size_t cell) const {
    const auto fail = [&](Difference::Why why) {
      throw NotRobust({ThreadId(t), point, cells_.cell(cell), why});
    };
    const bool certainly_writes = instruction.kind == InstrKind::kStore ||
                                  (instruction.kind == InstrKind::kRmw && !is_cas(instruction.rmw));
    const ReadStrength read = instruction.reads_memory() ? read_strength(instruction) : ReadStrength();
    const WriteStrength write = instruction.writes_memory() ? write_strength(instruction) : WriteStrength();
    if (certainly_writes) {
      if (views_.may_write_earlier(t, cell, read.sequential || write.sequential))
        fail(Difference::Why::kEarlierWrite);
    } else if (views_.may_read_older(t, cell, read.sequential)) {
      fail(Difference::Why::kOlderRead);
    }
    const bool atomic = cells_.atomic(t, point.value());
    if (instruction.reads_memory() &&
        views_.races(t, cell, atomic ? AccessKind::kAtomicRead : AccessKind::kPlainRead))
      fail(Difference::Why::kRace);
    if (instruction.writes_memory() &&
        views_.races(t, cell, atomic ? AccessKind::kAtomicWrite : AccessKind::kPlainWrite))
      fail(Difference::Why::kRace);
  }

  void forget(PackedState machine_state) {
    const std::vector<size_t> before = futures_;
    for (size_t t = 0; t < cells_.threads(); ++t)
      futures_[t] = cells_.future_number(t, location(machine_state, t));
    views_.keep_only(masks(), initial_ || futures_ != before);
    futures_ = before;
  }

  // Of states whose threads have these futures.
  const Views::Masks& masks() {
    auto found = masks_.find(futures_);
    if (found == masks_.end())
      found = masks_.emplace(futures_, Views::Masks(views_, Relevance(cells_, futures_))).first;
    return found->second;
  }

  const machine::System& system_;
  const machine::Code& code_;
  const SharedCells& cells_;
  std::unique_ptr<machine::TransitionSystem> machine_;
  Views views_;
  bool initial_ = true;          // no state is being expanded
  std::vector<size_t> futures_;  // by thread, in the state being expanded: numbers of SharedCells::Future
  std::map<std::vector<size_t>, Views::Masks> masks_;  // by futures
  // What the atomic section that is being observed has done to shared cells.
  enum class Section : uint8_t { kNone, kBegun, kLoaded, kStored } section_ = Section::kNone;
  size_t section_cell_ = 0;                // kLoaded, kStored: the cell
  std::vector<Value> registers_;           // scratch
  std::vector<NextAccess> next_accesses_;  // scratch
  BitWriter writer_;
};

}  // namespace

std::unique_ptr<machine::TransitionSystem> MonitoredSource::worker() const {
  return std::make_unique<MonitoredSystem>(system_, cells_);
}

}  // namespace fenceline::robustness
