// SPDX-License-Identifier: GPL-3.0-or-later
#include "frontend/c/forwarded_stores.h"

#include <map>
#include <optional>
#include <utility>

#include "base/bit_set.h"
#include "frontend/c/memory.h"
#include "ir/analysis/accessed_cells.h"
#include "ir/edit/overlay.h"

namespace fenceline::frontend::c {
namespace {

using Contents = std::map<size_t, Value>;  // by cell: what it holds, if that is known

class Forwarding {
 public:
  // Keeps references.
  Forwarding(Program& program, const std::vector<CellId>& arguments, BitSet& handles)
      : program_(program), arguments_(arguments), handles_(handles), cells_(accessed(program)) {
    find_owners();
  }

  // True: a load has become a constant.
  bool run() {
    for (size_t t = 0; t < program_.threads.size(); ++t) forward(ThreadId(t));
    for (size_t t = 0; t < program_.threads.size(); ++t) find_copies(ThreadId(t));
    forward_arguments();
    for (const auto& [load, value] : known_) replace(*load, value);
    return !known_.empty();
  }

 private:
  struct State {
    Contents contents;
    bool in_section = false;
  };

  static AccessedCells accessed(const Program& program) {
    const FenceSet none;
    return AccessedCells(Overlay(program, none), AccessedCells::OwnStores::kIgnored);
  }

  template <class F>
  void for_each_access(const F& f) const {
    for (size_t t = 0; t < program_.threads.size(); ++t)
      for (size_t p = 0; p < program_.threads[t].code.size(); ++p)
        if (program_.threads[t].code[p].is_memory_access()) f(ThreadId(t), Point(p));
  }

  void find_owners() {
    owners_.resize(program_.cell_count);
    std::vector<bool> accessed(program_.cell_count);
    for_each_access([&](ThreadId thread, Point point) {
      cells_.at(thread, point).for_each([&](size_t cell) {
        owners_[cell] = !accessed[cell] || owners_[cell] == thread ? thread : ThreadId();
        accessed[cell] = true;
      });
    });
  }

  void forward(ThreadId thread) {
    std::vector<std::optional<State>> before(program_.thread(thread).code.size());
    std::vector<Point> todo{program_.thread(thread).entry};
    before[todo.back().index()] = State{initial(thread), false};
    while (!todo.empty()) {
      const Point point = todo.back();
      todo.pop_back();
      State after = *before[point.index()];
      execute(thread, point, after);
      for (const Point next : program_.thread(thread).at(point).next) {
        std::optional<State>& there = before[next.index()];
        if (!there) {
          there = after;
        } else if (std::erase_if(there->contents, [&](const auto& known) {
                     const auto other = after.contents.find(known.first);
                     return other == after.contents.end() || other->second != known.second;
                   }) == 0) {
          continue;
        }
        todo.push_back(next);
      }
    }
    for (size_t p = 0; p < before.size(); ++p) {
      Instruction& load = program_.threads[thread.index()].code[p];
      if (!before[p] || before[p]->in_section || !is_plain_load(load)) continue;
      const std::optional<size_t> cell = cell_of(load);
      if (!cell || !handles_.has(*cell)) continue;
      if (const auto known = before[p]->contents.find(*cell); known != before[p]->contents.end())
        note(load, known->second);
    }
  }

  Contents initial(ThreadId thread) const {
    Contents result;
    const std::vector<Value> memory = program_.initial_memory();
    for (size_t cell = 0; cell < memory.size(); ++cell)
      if (owners_[cell] == thread) result[cell] = memory[cell];
    return result;
  }

  void execute(ThreadId thread, Point point, State& state) const {
    const Instruction& i = program_.thread(thread).at(point);
    if (i.kind == InstrKind::kAtomicBegin) state.in_section = true;
    if (i.kind == InstrKind::kAtomicEnd) state.in_section = false;
    if (!i.writes_memory()) return;
    const BitSet& cells = cells_.at(thread, point);
    const ValueSet& written = cells_.written(thread, point);
    const bool is_known = i.kind == InstrKind::kStore && written.is_single() && cells.size() == 1;
    cells.for_each([&](size_t cell) {
      if (is_known && owners_[cell] == thread)
        state.contents[cell] = written.range().lo;
      else
        state.contents.erase(cell);
    });
  }

  // Where the thread stores what it has loaded from a handle.
  void find_copies(ThreadId thread) {
    const std::vector<Instruction>& code = program_.thread(thread).code;
    const auto reads = [&](const Instruction& i, const std::vector<bool>& registers) {
      return program_.expr(i.a).op == ExprOp::kReg && registers[program_.expr(i.a).reg.index()];
    };
    std::vector<bool> holds(program_.thread(thread).registers.size());
    for (const auto& [load, value] : known_)
      if (load >= code.data() && load < code.data() + code.size()) holds[load->dest.reg.index()] = true;
    for (bool changed = true; changed;) {
      changed = false;
      for (const Instruction& i : code) {
        if (i.kind != InstrKind::kAssign || holds[i.dest.reg.index()] || !reads(i, holds)) continue;
        holds[i.dest.reg.index()] = changed = true;
      }
    }
    for (const Instruction& i : code)
      if (i.kind == InstrKind::kStore && reads(i, holds))
        if (const std::optional<size_t> cell = cell_of(i)) handles_.add(*cell);
  }

  // The thread is started behind the store, and only there; so there is one value.
  void forward_arguments() {
    for (const CellId cell : arguments_) {
      std::vector<const Instruction*> stores;
      std::vector<Instruction*> loads;
      std::optional<Value> value;
      for_each_access([&](ThreadId thread, Point point) {
        if (!cells_.at(thread, point).has(cell.index())) return;
        Instruction& i = program_.threads[thread.index()].code[point.index()];
        if (is_plain_load(i) && cell_of(i) == cell.index()) loads.push_back(&i);
        if (!i.writes_memory()) return;
        stores.push_back(&i);
        const ValueSet& written = cells_.written(thread, point);
        if (i.kind == InstrKind::kStore && written.is_single()) value = written.range().lo;
      });
      if (stores.size() != 1 || !value) continue;
      for (Instruction* load : loads) note(*load, *value);
    }
  }

  static bool is_plain_load(const Instruction& i) {
    return i.kind == InstrKind::kLoad && i.order == MemoryOrder::kPlain && !i.dest.is_element();
  }

  // Where the access certainly is.
  std::optional<size_t> cell_of(const Instruction& i) const {
    const Expr& offset = program_.expr(i.address.offset);
    const Object& object = program_.object(i.address.object);
    if (offset.op != ExprOp::kConst || !object.admits(offset.imm, i.address.bytes)) return std::nullopt;
    return object.first_cell.index() + static_cast<size_t>(offset.imm);
  }

  // A use of what was never set is reported with the load.
  void note(Instruction& load, Value value) {
    const bool in_part = load.address.bytes <= 4 && value != static_cast<int32_t>(value);  // bit_fields.h
    if (value != kUndefined && value != kFreed && value != kEnded && !in_part)
      known_.emplace_back(&load, value);
  }

  void replace(Instruction& load, Value value) {
    Instruction constant;
    constant.kind = InstrKind::kAssign;
    constant.role = load.role;
    constant.pos = load.pos;
    constant.next = load.next;
    constant.dest = load.dest;
    constant.a = ExprId(program_.exprs.size());
    constant.operation = load.operation;
    program_.exprs.push_back({.op = ExprOp::kConst, .imm = value});
    load = std::move(constant);
  }

  Program& program_;
  const std::vector<CellId>& arguments_;
  BitSet& handles_;
  const AccessedCells cells_;
  std::vector<ThreadId> owners_;  // by cell: the only thread that accesses it
  std::vector<std::pair<Instruction*, Value>> known_;
};

}  // namespace

void forward_stores(Program& program, const std::vector<CellId>& arguments,
                    const std::vector<CellId>& handles) {
  if (arguments.empty()) return;
  // What was forwarded may be copied to another handle. A round less is no error.
  constexpr unsigned kMostRounds = 4;
  BitSet all;
  for (const CellId handle : handles) all.add(handle.index());
  for (unsigned round = 0; round < kMostRounds && Forwarding(program, arguments, all).run();) ++round;
}

}  // namespace fenceline::frontend::c
