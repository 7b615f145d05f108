// SPDX-License-Identifier: GPL-3.0-or-later
#include "ir/analysis/accessed_cells.h"

#include <algorithm>
#include <cstdint>
#include <optional>
#include <utility>

#include "base/value_set.h"
#include "ir/analysis/liveness.h"
#include "ir/analysis/value_propagation.h"

namespace fenceline {
namespace {

class Propagation : public ValuePropagation<Propagation> {
  friend ValuePropagation<Propagation>;

 public:
  Propagation(const Overlay& overlay, AccessedCells::OwnStores own_stores)
      : ValuePropagation(overlay.program()), overlay_(overlay), own_stores_(own_stores) {
    for (size_t t = 0; t < program_.threads.size(); ++t) {
      executed_.push_back(executed_before(ThreadId(t)));
      written_.emplace_back(overlay.points(ThreadId(t)));
      applied_.emplace_back(overlay.points(ThreadId(t)));
      register_changes_.emplace_back(program_.threads[t].registers.size(), 0);
    }
    for (const Value value : program_.initial_memory()) initial_.push_back(ValueSet::single(value));
    stored_.resize(initial_.size());
    cell_changes_.resize(initial_.size());
    // Many registers are always assigned before they are read, so that their initial value is not seen.
    const Liveness liveness(program_, {}, {});
    for (size_t t = 0; t < program_.threads.size(); ++t) {
      const Thread& thread = program_.thread(ThreadId(t));
      std::vector<ValueSet>& registers = registers_.emplace_back();
      for (size_t r = 0; r < thread.registers.size(); ++r)
        registers.push_back(liveness.live(ThreadId(t), thread.entry, RegId(r))
                                ? ValueSet::single(thread.registers[r].init)
                                : ValueSet());
    }
  }

  void run() {
    for (size_t sweep = 0; changed_; ++sweep) {
      changed_ = false;
      // A counter would go on for ever.
      widens_ = sweep >= kSweepsBeforeWidening || work_ > kWorkBeforeWidening;
      for (size_t t = 0; t < program_.threads.size(); ++t) {
        thread_ = ThreadId(t);
        for (size_t p = 0; p < overlay_.points(thread_); ++p) {
          point_ = Point(p);
          apply_if_changed(overlay_.at(thread_, point_), applied_[t][p]);
        }
      }
    }
  }

  std::vector<std::vector<ValueSet>>& written() { return written_; }

  BitSet cells_of(ThreadId thread, const Instruction& i) {
    thread_ = thread;
    BitSet result;
    for_cells(i.address, [&](size_t cell) { result.add(cell); });
    return result;
  }

 private:
  static constexpr size_t kSweepsBeforeWidening = 30;
  static constexpr size_t kWorkBeforeWidening =
      200'000;  // registers and cells that instructions were applied to

  // What an instruction was applied to, and when: `changes_` was `time`. Applied again to the same, it does nothing.
  struct Application {
    std::optional<uint64_t> time;
    std::vector<RegId> registers;
    std::vector<size_t> cells;
  };

  void apply_if_changed(const Instruction& i, Application& last) {
    const std::vector<uint64_t>& register_changes = register_changes_[thread_.index()];
    const bool same = last.time && !widens_ &&
                      std::all_of(last.registers.begin(), last.registers.end(),
                                  [&](RegId reg) { return register_changes[reg.index()] <= *last.time; }) &&
                      std::all_of(last.cells.begin(), last.cells.end(),
                                  [&](size_t cell) { return cell_changes_[cell] <= *last.time; });
    if (same) return;
    last = {changes_, {}, {}};
    reads_ = &last;
    if (i.reads_memory()) find_overwritten();
    apply(i);
    work_ += last.registers.size() + last.cells.size();
    reads_ = nullptr;
  }

  const ValueSet& register_values(RegId reg) const {
    if (reads_ != nullptr) reads_->registers.push_back(reg);
    return registers_[thread_.index()][reg.index()];
  }

  // By point: the stores that are executed before it on every path, by number.
  std::vector<BitSet> executed_before(ThreadId thread) {
    const size_t points = overlay_.points(thread);
    std::vector<Point>& stores = stores_.emplace_back();
    std::vector<size_t> number(points);
    for (size_t p = 0; p < points; ++p) {
      if (overlay_.at(thread, Point(p)).kind != InstrKind::kStore) continue;
      number[p] = stores.size();
      stores.emplace_back(p);
    }
    std::vector<std::optional<BitSet>> before(points);
    std::vector<Point> todo{program_.thread(thread).entry};
    before[todo.back().index()] = BitSet();
    while (!todo.empty()) {
      const Point point = todo.back();
      todo.pop_back();
      const Instruction& i = overlay_.at(thread, point);
      BitSet after = *before[point.index()];
      if (i.kind == InstrKind::kStore) after.add(number[point.index()]);
      for (size_t slot = 0; slot < i.next.size(); ++slot) {
        const Point next = overlay_.next(thread, point, slot);
        std::optional<BitSet>& there = before[next.index()];
        if (there && there->subset_of(after)) continue;
        there = there ? *there & after : after;
        todo.push_back(next);
      }
    }
    std::vector<BitSet> result;
    result.reserve(before.size());
    for (std::optional<BitSet>& set : before) result.push_back(set ? std::move(*set) : BitSet());
    return result;
  }

  // Behind a store of its own thread a load does not see the initial value any more.
  void find_overwritten() {
    overwritten_ = {};
    if (own_stores_ == AccessedCells::OwnStores::kIgnored) return;
    executed_[thread_.index()][point_.index()].for_each([&](size_t store) {
      const Instruction& i = overlay_.at(thread_, stores_[thread_.index()][store]);
      size_t cells = 0, last = 0;
      for_cells(i.address, [&](size_t cell) {
        ++cells;
        last = cell;
      });
      if (cells == 1) overwritten_.add(last);
    });
  }

  ValueSet loaded_from(size_t cell) const {
    if (reads_ != nullptr) reads_->cells.push_back(cell);
    return overwritten_.has(cell) ? stored_[cell] : stored_[cell].join(initial_[cell]);
  }

  void store(const Address& address, const ValueSet& stored) {
    written_[thread_.index()][point_.index()] = stored;  // in the last sweep, all
    if (!stored.is_empty())
      for_cells(address, [&](size_t cell) { join(stored_[cell], stored, cell_changes_[cell]); });
  }

  // An element of an array may be any of them.
  void assign(const Dest& dest, const ValueSet& value) {
    if (!dest.valid()) return;
    const size_t t = thread_.index();
    for (size_t reg = dest.reg.index(); reg < dest.reg.index() + dest.count; ++reg)
      join(registers_[t][reg], value, register_changes_[t][reg]);
  }

  void join(ValueSet& into, const ValueSet& values, uint64_t& change) {
    ValueSet joined = into.join(values);
    if (joined == into) return;
    into = widens_ ? joined.widened_from(into) : std::move(joined);
    changed_ = true;
    change = ++changes_;
  }

  const Overlay& overlay_;
  const AccessedCells::OwnStores own_stores_;
  std::vector<std::vector<Point>> stores_;        // by thread and number
  std::vector<std::vector<BitSet>> executed_;     // by thread and point: stores
  std::vector<ValueSet> initial_, stored_;        // by cell
  std::vector<std::vector<ValueSet>> registers_;  // by thread
  std::vector<std::vector<ValueSet>> written_;    // by thread and point
  ThreadId thread_;
  Point point_;
  std::vector<std::vector<Application>> applied_;        // by thread and point
  std::vector<std::vector<uint64_t>> register_changes_;  // by thread and register: which change was the last
  std::vector<uint64_t> cell_changes_;                   // by cell: the same for stored_
  uint64_t changes_ = 0;
  Application* reads_ = nullptr;  // of the instruction that is applied
  BitSet overwritten_;            // cells whose initial value the load at hand does not see
  size_t work_ = 0;
  bool changed_ = true, widens_ = false;
};

}  // namespace

AccessedCells::AccessedCells(const Overlay& overlay, OwnStores own_stores) {
  Propagation propagation(overlay, own_stores);
  propagation.run();
  written_ = std::move(propagation.written());
  for (size_t t = 0; t < overlay.program().threads.size(); ++t) {
    std::vector<BitSet>& of_thread = cells_.emplace_back(overlay.points(ThreadId(t)));
    for (size_t p = 0; p < of_thread.size(); ++p)
      if (const Instruction& i = overlay.at(ThreadId(t), Point(p)); i.is_memory_access())
        of_thread[p] = propagation.cells_of(ThreadId(t), i);
  }
}

}  // namespace fenceline
